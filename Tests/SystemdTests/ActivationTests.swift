// Sockets passed by systemd: their roles, and the errors for unusable ones.

import Glibc
import TestSupport
import Testing
@testable import Posix
@testable import Systemd

/// systemd passes them from descriptor 3 on; these tests use a free range.
@Suite(.serialized) struct `Passed sockets` {
    private let folder: Folder
    /// The first descriptor of a range that no other test uses.
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

    /// Opens a socket at this offset from the first descriptor.
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

    @Test func `Passed sockets have the roles of their names, and are close-on-exec and nonblocking`() throws {
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

    @Test(arguments: ["", "unknown:unknown", ":"])
    func `Passed sockets without known names have the roles of their address families`(names: String) throws {
        try put(AF_INET)
        try put(AF_UNIX, at: 1)
        let sockets = try ActivatedSockets.read(variables(names, count: "2"), from: first)
        #expect(sockets.map(\.role) == [.tcp, .unix] && !sockets.contains(where: \.isNamed))
    }

    @Test func `Passed sockets without names must be listening, too`() throws {
        try put(AF_INET, SOCK_DGRAM, listens: false)
        #expect(complaint(variables("", count: "1"))?.contains("needs ListenStream= and Accept=no") == true)
    }

    @Test func `Sockets passed to another process are ignored`() throws {
        #expect(try ActivatedSockets.read(variables("gamed", process: 1), from: first).isEmpty)
        #expect(try ActivatedSockets.read({ _ in nil }, from: first).isEmpty)
    }

    @Test func `A passed socket with an unknown name is refused with the valid names`() throws {
        try put(AF_UNIX)
        #expect(
            complaint(variables("gamed.socket"))
                == "socket activation: 'gamed.socket' is not a socket of gamed; FileDescriptorName= is gamed for the UNIX socket, tcp, or "
                + "http for the page")
    }

    @Test func `A passed socket of the wrong kind is refused with the setting that fixes it`() throws {
        try put(AF_INET)
        #expect(
            complaint(variables("gamed"))?.hasSuffix("'gamed' is not a UNIX socket; its unit's ListenStream= is a path") == true
        )
        try put(AF_UNIX)
        #expect(complaint(variables("tcp"))?.contains("'tcp' is not a TCP socket") == true)
        try put(AF_INET, listens: false)
        #expect(complaint(variables("tcp"))?.contains("needs ListenStream= and Accept=no") == true)
        try put(AF_INET, SOCK_DGRAM, listens: false)
        #expect(complaint(variables("http"))?.contains("needs ListenStream= and Accept=no") == true)
        try put(AF_INET)
        try put(AF_INET, at: 1)
        let twice = "socket activation: two sockets are named http; only one is allowed, and an empty ListenStream= "
        #expect(complaint(variables("http:http"))?.hasPrefix(twice) == true)
    }

    @Test func `A passed socket that is not open, or an invalid count, is an error`() {
        #expect(
            complaint(variables("gamed", count: "1"))
                == "socket activation: descriptor \(first), which LISTEN_FDS counts, is not open")
        #expect(complaint(variables("gamed", count: "many"))?.contains("must be a number of sockets, not 'many'") == true)
        #expect(complaint(variables("gamed", count: "-1"))?.contains("not '-1'") == true)
    }
}

@Suite struct `The watchdog's interval` {
    @Test func `The watchdog's interval is read from the environment if it is for this process`() {
        #expect(Watchdog.interval { ["WATCHDOG_USEC": "30000000"][$0] } == 30_000_000)
        #expect(Watchdog.interval { ["WATCHDOG_USEC": "5", "WATCHDOG_PID": "\(getpid())"][$0] } == 5)
        #expect(Watchdog.interval { ["WATCHDOG_USEC": "5", "WATCHDOG_PID": "1"][$0] } == nil)
        #expect(Watchdog.interval { ["WATCHDOG_USEC": "0"][$0] } == nil)
        #expect(Watchdog.interval { ["WATCHDOG_USEC": "soon"][$0] } == nil)
        #expect(Watchdog.interval { _ in nil } == nil)
    }
}

@Suite struct `Messages to systemd` {
    @Test(arguments: [true, false]) func `A message to systemd is a datagram to a path or an abstract name`(isAbstract: Bool)
        throws
    {
        let folder = try Folder()
        let place = isAbstract ? "@" + folder.socket : folder.socket
        let receiver = try DatagramReceiver(at: place)
        let socket = try #require(NotifySocket(place))
        #expect(socket.send("READY=1\nSTATUS=up"))
        #expect(receiver.next() == "READY=1\nSTATUS=up")
    }

    @Test func `A message to systemd fails while the socket is full, and is dropped if nothing listens`() throws {
        let folder = try Folder()
        var receiver: DatagramReceiver? = try DatagramReceiver(at: folder.socket)
        let socket = try #require(NotifySocket(folder.socket))
        var sent = 0
        while sent < 100_000, socket.send("WATCHDOG=1") { sent += 1 }
        #expect(sent < 100_000)
        #expect(receiver?.rest().count == sent)
        receiver = nil
        // Without a receiver, there is no reason to retry.
        #expect(socket.send("WATCHDOG=1"))
        #expect(NotifySocket("vsock:2:1") == nil)
        #expect(NotifySocket("") == nil)
    }
}
