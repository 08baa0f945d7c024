// Debian's PostgreSQL on this machine: where its programs are, and who may run them.

import Foundation

package enum PostgresPrograms {
    /// Something of PostgreSQL does not work; its log says why.
    package struct Trouble: Error, CustomStringConvertible {
        package let description: String
    }

    /// False where somebody does without PostgreSQL, on purpose: then tests that need it are not run.
    package static let areExpected =
        ProcessInfo.processInfo.environment["GAMED_SKIP_POSTGRES"] == nil || (try? folder.get()) != nil

    /// What a test that is not run says.
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

    /// Whom the server runs as, since it refuses to be root; nil if that is whoever runs the tests.
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

    /// A new folder that belongs to that user, where that user can get to.
    static func newFolder() throws -> String {
        let places = [FileManager.default.temporaryDirectory.path, "/tmp"]
        guard let place = places.first(where: isOpen) else {
            throw Trouble(description: "there is no folder for PostgreSQL's data: nobody but root may enter \(places[0])")
        }
        let path = "\(place)/gamed-pg-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try give(path)
        return path
    }

    /// Makes it that user's.
    package static func give(_ path: String) throws {
        guard let user else { return }
        guard chown(path, user.id, user.group) == 0 else {
            throw Trouble(description: "\(path) cannot be given away: \(errno)")
        }
    }

    /// Whether everybody may pass through it and all above it.
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
