// A process that ends a server and removes its folder, also when the test's process has died.

import Foundation

final class PostgresGuard {
    /// The other end of the guard's standard input, which closes with this process.
    private let leash: Int32
    private let process = Process()

    private static let script = """
        trap '' INT TERM HUP
        cat > /dev/null
        server=$(head -n 1 "$1/data/postmaster.pid" 2> /dev/null)
        if [ -n "$server" ] && grep -qs "$1" "/proc/$server/cmdline"; then
            kill -QUIT "$server"; kill -CONT "$server"
            for try in $(seq 100); do kill -0 "$server" 2> /dev/null || break; sleep 0.05; done
            kill -KILL "$server" 2> /dev/null
        fi
        rm -rf "$1"
        """

    init(of folder: String) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw PostgresPrograms.Trouble(description: "there is no pair of sockets: \(errno)")
        }
        leash = ends[1]
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", Self.script, "postgres-guard", folder]
        process.standardInput = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Ends the server, and waits until its folder is gone.
    func end() {
        close(leash)
        process.waitUntilExit()
    }
}
