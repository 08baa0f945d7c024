// Addresses that cannot be listened at together.

import Posix
import Testing
@testable import GameDaemon

@Suite struct `Addresses of the options` {
    @Test(arguments: [
        (
            ["--listen", "127.0.0.1:7654", "--listen", "tcp://127.0.0.1:7654"],
            "--listen 127.0.0.1:7654 and --listen 127.0.0.1:7654"
        ),
        (["--listen", "localhost:7650", "--http", "127.0.0.1:7650"], "--http 127.0.0.1:7650 and --listen 127.0.0.1:7650"),
        (["--listen", "0.0.0.0:7654", "--http", "10.0.0.5:7654"], "--http 10.0.0.5:7654 and --listen 0.0.0.0:7654"),
        (["--listen", "[::1]:7654", "--listen", "[::]:7654"], "--listen [::]:7654 and --listen [::1]:7654"),
    ])
    func `Two addresses that only one socket can have are refused`(words: [String], both: String) throws {
        let error = #expect(throws: UsageError.self) { try Options(parsing: words).checkAddresses() }
        #expect(error?.description == "\(both) exclude each other: give each its own port")
    }

    @Test(arguments: [
        ["--listen", "127.0.0.1:0", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"],
        ["--listen", "127.0.0.1:7654", "--listen", "[::1]:7654", "--listen", "10.0.0.5:7654"],
        ["--listen", "127.0.0.1:7650"], ["--listen", "127.0.0.1:7654", "--http", "none"],
    ])
    func `Addresses that differ, or take a free port, are accepted together`(words: [String]) throws {
        try Options(parsing: words).checkAddresses()
    }

    @Test func `Two addresses of a configuration file that exclude each other are refused with their place`() throws {
        let directory = try ConfigurationDirectory()
        let options = try directory.read(#"{ listen: "127.0.0.1:7650", http: "127.0.0.1:7650" }"#).options
        let error = #expect(throws: LocatedError.self) { try options.checkAddresses() }
        #expect(error?.description.hasPrefix("\(directory.file):1:35: error: --http 127.0.0.1:7650 and --listen ") == true)
        #expect(error?.status == .configuration)
    }
}
