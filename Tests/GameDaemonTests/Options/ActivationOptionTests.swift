// Options together with sockets from the service manager, and the dates of the log.

import Glibc
import Testing
@testable import Commands
@testable import GameDaemon
@testable import Logging
@testable import Network
@testable import Posix
@testable import Systemd

@Suite struct `Sockets from the service manager` {
    private func options(_ words: String...) throws -> Options {
        var options = try Options(parsing: words + ["--data", "none"])
        options.use(
            .init(socketPath: "/run/it.sock", addresses: [try TcpAddress("127.0.0.1:7")], page: try TcpAddress("0.0.0.0:8")))
        return options
    }

    @Test func `Sockets from the service manager replace --socket and --http and add to --listen`() throws {
        let options = try options(
            "--socket", "/tmp/own", "--http", "none", "--listen", "127.0.0.1:6", "--listen", "127.0.0.1:7")
        #expect(options.socketPath == "/run/it.sock")
        #expect(options.addresses.map(\.description) == ["127.0.0.1:6", "127.0.0.1:7"])
        #expect(try options.pagePlace().asked?.description == "0.0.0.0:8")
    }

    @Test func `A socket from the service manager requires a token if other machines can reach it`() throws {
        let error = #expect(throws: (any Error).self) { try options().tokens() }
        #expect("\(try #require(error))".contains("other machines can reach 0.0.0.0:8"))
    }

    @Test func `A TCP socket from the service manager without a token is a configuration error`() throws {
        var options = try Options(parsing: ["--data", "none", "--http", "none"])
        options.use(.init(addresses: [try TcpAddress("127.0.0.1:7")]))
        let error = try #require(#expect(throws: ActivationError.self) { try options.tokens() })
        #expect(ExitStatus(of: error) == .configuration)
        #expect(error.description.hasPrefix("socket activation: every user of this machine can reach 127.0.0.1:7"))
    }

    @Test(arguments: [("https://127.0.0.1:1", true), ("http://127.0.0.1:1", false), ("127.0.0.1:1", nil)])
    func `The scheme of --http decides whether a page socket from the service manager uses TLS`(
        setting: String, isEncrypted: Bool?
    ) throws {
        var options = try Options(parsing: ["--data", "none", "--http", setting])
        options.use(.init(page: try TcpAddress("127.0.0.1:8")))
        let asked = try #require(try options.pagePlace().asked)
        #expect(asked.description == "127.0.0.1:8" && asked.asksForTLS == isEncrypted)
    }

    @Test func `A socket from the service manager stays in use when the configuration is reloaded`() throws {
        var inForce = try Configuration(
            ["--data", "none"], in: Environment(value: { _ in nil }, names: []), usually: "/nowhere"
        ).options
        inForce.use(.init(socketPath: "/run/it.sock"))
        #expect(Configuration.again(inForce).options.socketPath == "/run/it.sock")
    }

    @Test func `A page socket from the service manager has the options of the daemon's own sockets`() throws {
        guard let descriptor = Descriptor(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)) else {
            Issue.record("no socket: \(systemErrorText(errno))")
            return
        }
        let number = descriptor.number
        try #require(listen(number, 1) == 0)
        let socket = try ActivatedSocket(descriptor, named: "http")
        let activation = try Activation([socket], Options(parsing: ["--data", "none"]))
        guard let page = activation.pageSocket() else {
            Issue.record("the page has no socket")
            return
        }
        #expect(option(Int32(IPPROTO_TCP), TCP_NODELAY, of: number) == 1)
        #expect(option(SOL_SOCKET, SO_KEEPALIVE, of: number) == 1)
        #expect(option(Int32(IPPROTO_TCP), TCP_KEEPIDLE, of: number) == 60)
        #expect(option(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, of: number) == 120_000)
        // It is open until here.
        let address = page.address
        #expect(address.hasPrefix("0.0.0.0:"))
    }

    private func option(_ level: Int32, _ name: Int32, of descriptor: Int32) -> Int32 {
        var (value, size) = (Int32(-1), socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(descriptor, level, name, &value, &size) == 0 ? value : -1
    }
}

@Suite struct `The log's dates` {
    @Test func `The log's dates are in UTC unless --log-time is local`() throws {
        #expect(try Options(parsing: []).logTime == .utc)
        #expect(try Options(parsing: ["--log-time", "local"]).logTime == .local)
        let error = #expect(throws: UsageError.self) { try Options(parsing: ["--log-time", "cet"]) }
        #expect(error?.description == "--log-time is local or utc, not 'cet'")
    }

    @Test func `A log date shows its offset from UTC`() {
        #expect(DateZone.utc.text(0, "%F %T") == "1970-01-01 00:00:00")
        #expect(DateZone.utc.offset(at: 0) == "Z")
        #expect(DateZone.local.offset(at: 0).count == 6)
    }
}
