// Debian's PostgreSQL on this machine: its programs, and the user that runs them.

import Foundation

package enum PostgresPrograms {
    /// A failure of PostgreSQL, with the end of its log.
    package struct Trouble: Error, CustomStringConvertible {
        package let description: String
    }

    /// False if GAMED_SKIP_POSTGRES is set and PostgreSQL is missing: tests that need it are skipped.
    package static let areExpected =
        ProcessInfo.processInfo.environment["GAMED_SKIP_POSTGRES"] == nil || (try? folder.get()) != nil

    /// The reason that a skipped test prints.
    package static let absence = "PostgreSQL is not installed, and GAMED_SKIP_POSTGRES is set"

    /// The newest version's.
    static let folder: Result<String, Trouble> = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let folders = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
        let isWhole = { (folder: String) in
            ["postgres", "initdb"].allSatisfy { FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)") }
        }
        return folders.first(where: isWhole).map { .success($0) }
            ?? .failure(
                Trouble(
                    description:
                        "PostgreSQL's server is missing: run make deps-test, or set GAMED_SKIP_POSTGRES=1 to do without "
                        + "these tests"))
    }()

    /// The user that runs the server, which refuses to run as root; nil if that is the user that runs the tests.
    static let user: (id: uid_t, group: gid_t)? = {
        guard geteuid() == 0 else { return nil }
        return (getpwnam("postgres") ?? getpwnam("nobody")).map { ($0.pointee.pw_uid, $0.pointee.pw_gid) }
    }()

    /// The words that run a program as that user, in the same process.
    static func words(_ program: String, _ arguments: [String]) throws -> [String] {
        let own = ["\(try folder.get())/\(program)"] + arguments
        guard let user else { return own }
        return ["/usr/bin/setpriv", "--reuid=\(user.id)", "--regid=\(user.group)", "--clear-groups", "--"] + own
    }

    /// A new folder that belongs to that user, in a place that the user can enter. In memory if there is plenty: a new database is hundreds of files.
    static func newFolder(inMemory: Bool = false) throws -> String {
        let places = (inMemory ? memory : []) + [FileManager.default.temporaryDirectory.path, "/tmp"]
        guard let place = places.first(where: isOpen) else {
            throw Trouble(description: "there is no folder for PostgreSQL's data: only root may enter \(places[0])")
        }
        let path = "\(place)/gamed-pg-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try give(path)
        return path
    }

    /// The folder of files in memory, unless that is small, as in many containers.
    private static let memory: [String] = {
        var space = statvfs()
        guard statvfs("/dev/shm", &space) == 0, space.f_bavail * space.f_frsize >= 4 << 30 else { return [] }
        return ["/dev/shm"]
    }()

    /// Makes that user the owner of a file.
    package static func give(_ path: String) throws {
        guard let user else { return }
        guard chown(path, user.id, user.group) == 0 else {
            throw Trouble(description: "\(path) cannot be given away: \(errno)")
        }
    }

    /// Whether every user may enter it and all folders above it.
    private static func isOpen(_ path: String) -> Bool {
        guard user != nil else { return true }
        let real = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let above = sequence(first: real) { $0.path == "/" ? nil : $0.deletingLastPathComponent() }
        return above.allSatisfy { folder in
            var status = stat()
            return stat(folder.path, &status) == 0 && status.st_mode & 0o001 != 0
        }
    }
}
