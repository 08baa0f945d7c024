// A database cluster as initdb makes it, kept beside the programs of this build: making one takes seconds, copying it does not.

import Foundation
import TestSupport

enum PostgresTemplate {
    /// The superuser's password, for connections over TCP.
    static let password = "a-password-of-tests"

    /// Copies it to a folder that does not exist.
    static func copy(to path: String) throws {
        let template = try template.get()
        let said = try run("cp", ["-a", "--reflink=auto", template, path])
        guard said.status == 0 else {
            throw PostgresPrograms.Trouble(description: "\(template) cannot be copied: \(said.output)")
        }
    }

    private static let template: Result<String, any Error> = Result {
        let version = try run("\(try PostgresPrograms.folder.get())/postgres", ["--version"]).output
        let name = version.split { !$0.isNumber && $0 != "." }.first ?? "unknown"
        let owner = PostgresPrograms.user?.id ?? geteuid()
        let path = productsDirectory.appending(path: "postgres-template-\(name)-\(owner)").path
        if !FileManager.default.fileExists(atPath: path) { try make(path) }
        return path
    }

    /// Creates it under another name and renames it, so that it is never visible in part.
    private static func make(_ path: String) throws {
        let folder = try PostgresPrograms.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("\(password)\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/password"))
        let words = try PostgresPrograms.words(
            "initdb",
            [
                "--pgdata=\(folder)/data", "--username=postgres", "--pwfile=\(folder)/password", "--encoding=UTF8",
                "--locale=C",
                "--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync",
            ])
        let said = try run(words[0], Array(words.dropFirst()))
        guard said.status == 0 else { throw PostgresPrograms.Trouble(description: "initdb fails: \(said.output)") }
        let mine = "\(path).\(getpid())"
        let moved = try run("cp", ["-a", "\(folder)/data", mine])
        guard moved.status == 0 else { throw PostgresPrograms.Trouble(description: "\(mine) cannot be made: \(moved.output)") }
        // Another process may have been first.
        if rename(mine, path) != 0 { try? FileManager.default.removeItem(atPath: mine) }
    }
}
