// Sockets that systemd hands over: what each is for, and what is wrong with those that cannot be.

import Glibc
import TestSupport
import Testing
@testable import Posix
@testable import Systemd

/// They come from descriptor 3 on; here from where there is room.
@Suite(.serialized) struct `Sockets that were handed over` {
    private let folder: Folder
    /// Where no other test has a file open.
    private let first: Int32

    init() throws {
        folder = try Folder()
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        first = Int32(min(limit.rlim_cur, 60_000)) - 10
    }

    private func variables(_ names: String, count: String? = nil, process: Int32 = getpid()) -> (String) -> String? {
        let count = count ?? "\(names.split(separator: ":").count)"
        return { ["LISTEN_PID": "\(process)", "LISTEN_FDS": count, "LISTEN_FDNAMES": names][$0] }
    }

    /// Puts a socket at the place of the one so many behind the first.
    private func put(_ family: Int32, _ type: __socket_type = SOCK_STREAM, listens: Bool = true, at place: Int32 = 0) throws {
        let descriptor = socket(family, Int32(type.rawValue), 0)
        if family == AF_UNIX, listens {
            let address = try UnixAddress(path: folder.path + "/\(place)")
            try #require(address.withPointer { bind(descriptor, $0, $1) } == 0)
        }
        if listens { try #require(listen(descriptor, 5) == 0) }
        try #require(dup2(descriptor, first + place) == first + place)
        close(descriptor)
    }

    private func complaint(_ variables: (String) -> String?) -> String? {
        do throws(ActivationError) {
            _ = try ActivatedSockets.read(variables, from: first)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `serve by their names, and are ours alone`() throws {
        for (place, family) in [AF_UNIX, AF_INET, AF_INET6, AF_INET].enumerated() { try put(family, at: Int32(place)) }
        let sockets = try ActivatedSockets.read(variables("gamed:tcp:tcp:http"), from: first)
        #expect(sockets.map(\.role) == [.unix, .tcp, .tcp, .http])
        for socket in sockets {
            #expect(fcntl(socket.number, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(socket.number, F_GETFL) & O_NONBLOCK != 0)
        }
        let taken = sockets[0].takeDescriptor()
        let isTaken = taken != nil
        #expect(isTaken && sockets[0].number < 0)
    }

    @Test(arguments: ["", "unknown:unknown", ":"]) func `without names go by their families`(names: String) throws {
        try put(AF_INET)
        try put(AF_UNIX, at: 1)
        let sockets = try ActivatedSockets.read(variables(names, count: "2"), from: first)
        #expect(sockets.map(\.role) == [.tcp, .unix] && !sockets.contains(where: \.isNamed))
    }

    @Test func `without names must listen, too`() throws {
        try put(AF_INET, SOCK_DGRAM, listens: false)
        #expect(complaint(variables("", count: "1"))?.contains("needs ListenStream= and Accept=no") == true)
    }

    @Test func `A socket handed over to another process is left alone`() throws {
        #expect(try ActivatedSockets.read(variables("gamed", process: 1), from: first).isEmpty)
        #expect(try ActivatedSockets.read({ _ in nil }, from: first).isEmpty)
    }

    @Test func `A socket with another name is a mistake, and the error says the right ones`() throws {
        try put(AF_UNIX)
        #expect(
            complaint(variables("gamed.socket"))
                == "socket activation: 'gamed.socket' is no socket of gamed's; FileDescriptorName= is gamed for the UNIX socket, tcp, or "
                + "http for the page")
    }

    @Test func `A socket of another kind is a mistake, and the error says what to write`() throws {
        try put(AF_INET)
        #expect(
            complaint(variables("gamed"))?.hasSuffix("'gamed' is no UNIX socket; its unit's ListenStream= is a path") == true)
        try put(AF_UNIX)
        #expect(complaint(variables("tcp"))?.contains("'tcp' is no TCP socket") == true)
        try put(AF_INET, listens: false)
        #expect(complaint(variables("tcp"))?.contains("needs ListenStream= and Accept=no") == true)
        try put(AF_INET, SOCK_DGRAM, listens: false)
        #expect(complaint(variables("http"))?.contains("needs ListenStream= and Accept=no") == true)
        try put(AF_INET)
        try put(AF_INET, at: 1)
        #expect(complaint(variables("http:http")) == "socket activation: two sockets are named http, and there can be one")
    }

    @Test func `A socket that is not there is a mistake`() {
        #expect(
            complaint(variables("gamed", count: "1"))
                == "socket activation: descriptor \(first), which LISTEN_FDS counts, is not open")
        #expect(complaint(variables("gamed", count: "many"))?.contains("is a number of sockets, not 'many'") == true)
        #expect(complaint(variables("gamed", count: "-1"))?.contains("not '-1'") == true)
    }
}

@Suite struct `The watchdog's interval` {
    @Test func `The watchdog's interval is that of the environment, if it is meant for this process`() {
        #expect(Watchdog.interval { ["WATCHDOG_USEC": "30000000"][$0] } == 30_000_000)
        #expect(Watchdog.interval { ["WATCHDOG_USEC": "5", "WATCHDOG_PID": "\(getpid())"][$0] } == 5)
        #expect(Watchdog.interval { ["WATCHDOG_USEC": "5", "WATCHDOG_PID": "1"][$0] } == nil)
        #expect(Watchdog.interval { ["WATCHDOG_USEC": "0"][$0] } == nil)
        #expect(Watchdog.interval { ["WATCHDOG_USEC": "soon"][$0] } == nil)
        #expect(Watchdog.interval { _ in nil } == nil)
    }
}

@Suite struct `Telling systemd` {
    @Test(arguments: [true, false]) func `A message to systemd is a datagram to a path, or to a name`(isAbstract: Bool) throws {
        let folder = try Folder()
        let place = isAbstract ? "@" + folder.socket : folder.socket
        let mailbox = try Mailbox(at: place)
        let socket = try #require(NotifySocket(place))
        #expect(socket.send("READY=1\nSTATUS=up"))
        #expect(mailbox.next() == "READY=1\nSTATUS=up")
    }

    @Test func `fails for now where systemd is behind, and for good where nobody reads`() throws {
        let folder = try Folder()
        var mailbox: Mailbox? = try Mailbox(at: folder.socket)
        let socket = try #require(NotifySocket(folder.socket))
        var sent = 0
        while sent < 100_000, socket.send("WATCHDOG=1") { sent += 1 }
        #expect(sent < 100_000)
        #expect(mailbox?.rest().count == sent)
        mailbox = nil
        // There is nobody to try it again for.
        #expect(socket.send("WATCHDOG=1"))
        #expect(NotifySocket("vsock:2:1") == nil)
        #expect(NotifySocket("") == nil)
    }
}
