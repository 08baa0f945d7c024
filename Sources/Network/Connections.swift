// Every open connection, from its acceptance to its end, and what they all share.

import Commands
import EventLoop
import Glibc
import Logging
import Posix
import RESP

package final class Connections {
    /// What has become of those who wanted in, since the start.
    package struct Counts {
        package var accepted = 0
        var refused = 0
        var cutOff = 0
        /// Those of them that were cut off because all together held too much.
        var cutOffForMemory = 0
    }

    /// What connections read into, one after the other.
    package let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    @exclusivity(unchecked) package var counts = Counts()
    /// Called after a turn in which a connection has ended: there is a descriptor again.
    @exclusivity(unchecked) package var whenSomebodyIsGone: () -> Void = {}
    /// Called at the end of a turn in which somebody has been heard, told something, or has gone.
    @exclusivity(unchecked) package var whenBusy: () -> Void = {}
    /// What all of them together make the daemon hold, in bytes: counted when it changes, and never anew.
    @exclusivity(unchecked) package private(set) var bytes = 0
    package let loop: Loop
    /// It has the connections, and outlives them.
    unowned(unsafe) let host: Host
    /// The requests that are being carried out.
    let batch = RequestBatch()
    /// Whether the disk is too far behind to hear anybody.
    @exclusivity(unchecked) package var isCrowded = false {
        didSet { if !isCrowded { resumeReading() } }
    }
    private let log: Log
    private var open: [Int: Connection] = [:]
    private var lastID = 0
    /// Those with something to be sent at the end of this turn.
    @exclusivity(unchecked) private var talking: [Connection] = []
    /// Those who go on in the next turn, and how many of them have done so already.
    private var waiting: [Connection] = []
    private var served = 0
    /// Those with something that must not be sent before it is on disk.
    @exclusivity(unchecked) private var held: [ObjectIdentifier: Connection] = [:]
    /// Those who are not heard before the disk has caught up.
    private var crowd: [Int: Connection] = [:]
    /// Kept until the turn is over: a connection may be the one whose callback runs.
    @exclusivity(unchecked) private var gone: [Connection] = []
    private let strangers: Deadlines
    private let leaving: Deadlines
    private let warm: WarmConnections

    package init(of host: Host, on loop: Loop) throws(LoopFailure) {
        self.loop = loop
        self.host = host
        log = host.log
        strangers = try Deadlines(on: loop)
        leaving = try Deadlines(on: loop)
        warm = try WarmConnections(on: loop)
    }

    deinit {
        scratch.deallocate()
    }

    package var count: Int { open.count }
    var strangerCount: Int { strangers.count }
    /// In the order in which they came.
    var all: [Connection] { open.values.sorted { $0.id < $1.id } }
    func count(where predicate: (Connection) -> Bool) -> Int { open.values.count(where: predicate) }

    // MARK: Coming

    package func accept(_ descriptor: consuming Descriptor, at door: Door) {
        guard door == .tcp || PeerIdentity(of: descriptor.number)?.isTrusted == true else {
            return refuse(descriptor, CommandError("NOPERM", "this gamed listens to the user who runs it, and to root"))
        }
        guard open.count < host.limits.connections else {
            return refuse(descriptor, .limit(\.connections, "\(open.count) connections are open, as many as are allowed"))
        }
        lastID += 1
        let standing = door == .unix ? .trusted : host.access.newcomer
        guard let connection = try? Connection(descriptor, id: lastID, door: door, standing: standing, among: self) else {
            return log.error("out of memory: a connection could not be taken in")
        }
        counts.accepted += 1
        log.debug("\(connection.address) has come")
        open[lastID] = connection
        if standing == .stranger { isStranger(connection, host.limits) }
    }

    private func refuse(_ descriptor: borrowing Descriptor, _ reason: CommandError) {
        counts.refused += 1
        log.write(.notice, provokedBy: .refusedConnection, "refused a connection: \(reason)")
        let line = "-\(reason)\r\n"
        _ = send(descriptor.number, line, line.utf8.count, Int32(MSG_NOSIGNAL))
    }

    private func isStranger(_ connection: Connection, _ limits: Limits) {
        strangers.add(connection, milliseconds: limits.strangerMilliseconds)
        while strangers.count > limits.strangers, let oldest = strangers.oldest {
            strangers.remove(oldest)
            oldest.makeRoom()
        }
    }

    func hasNewStanding(_ connection: Connection) {
        strangers.remove(connection)
        if connection.standing == .stranger { isStranger(connection, connection.host.limits) }
    }

    package func followLimits() {
        for connection in open.values { connection.followLimits() }
    }

    // MARK: Staying

    /// It has been heard, or told something: at the end of the turn its output is looked at.
    func hasSpoken(_ connection: Connection) {
        guard connection.phase != .closed else { return }
        if !connection.isTalking {
            connection.isTalking = true
            talking.append(connection)
        }
        count(connection)
    }

    func goesOnNextTurn(_ connection: Connection) {
        if waiting.isEmpty { goOnSoon() }
        waiting.append(connection)
    }

    private func goOnSoon() {
        loop.soon { [unowned self] in goOn() }
    }

    /// In the order in which they began to wait, and no more of them than a turn has time for.
    private func goOn() {
        let end = waiting.count
        repeat {
            let next = waiting[served]
            served += 1
            next.goOn()
        } while served < end && !loop.isFull
        if served >= waiting.count / 2 {
            waiting.removeFirst(served)
            served = 0
        }
        if !waiting.isEmpty { goOnSoon() }
    }

    func waitsForDisk(_ connection: Connection) {
        crowd[connection.id] = connection
    }

    /// The disk has caught up.
    func resumeReading() {
        let now = crowd.values.sorted { $0.id < $1.id }
        crowd = [:]
        for connection in now { goesOnNextTurn(connection) }
    }

    func hasWarmedUp(_ connection: Connection) {
        warm.add(connection)
    }

    // MARK: Going

    /// It has a time in which to read what is still to be sent.
    func isLeaving(_ connection: Connection) {
        strangers.remove(connection)
        leaving.add(connection, milliseconds: connection.host.limits.strangerMilliseconds)
    }

    func forget(_ connection: Connection) {
        strangers.remove(connection)
        leaving.remove(connection)
        warm.remove(connection)
        crowd[connection.id] = nil
        connection.host.subscriptions.removeAll(of: connection.client)
        bytes -= connection.isCountedNoMore()
        if let connection = open.removeValue(forKey: connection.id) { gone.append(connection) }
    }

    /// The daemon ends: everybody's last word.
    package func finish() {
        for connection in all { connection.finish() }
    }

    // MARK: The end of a turn

    /// The one place that lets anything leave that was said in this turn: at once, or when the batch is safe without which it would
    /// not be true.
    package func releaseOutput(awaiting batch: UInt64?) {
        if !talking.isEmpty { whenBusy() }
        while !talking.isEmpty {
            let now = talking
            talking = []
            for connection in now {
                connection.release(awaiting: batch)
                if connection.isHeldBack { held[ObjectIdentifier(connection)] = connection }
            }
        }
    }

    /// All batches up to this one are safe.
    package func releaseHeld(through safe: UInt64) {
        for (id, connection) in held {
            connection.releaseHeld(through: safe)
            if !connection.isHeldBack { held[id] = nil }
        }
    }

    /// What is held back will not be safe for now.
    package func takeBackHeld(_ error: CommandError, safe: UInt64) {
        for connection in held.values { connection.takeBack(error, safe: safe) }
    }

    /// The last of a turn: whoever has ended in it gives up what it has.
    package func closeGone() {
        guard !gone.isEmpty else { return }
        for connection in gone { connection.letGo() }
        gone = []
        whenBusy()
        whenSomebodyIsGone()
    }
}

// MARK: - Memory

extension Connections {
    /// It may hold more now, or less.
    @inline(__always)
    func count(_ connection: Connection) {
        guard connection.phase != .closed else { return }
        bytes &+= connection.countMemory()
        if bytes > connection.host.limits.clientBytes { makeRoom(within: connection.host.limits.clientBytes) }
    }

    /// It has given something back.
    func countLess(_ connection: Connection) {
        bytes &+= connection.countMemory()
    }

    /// First what nobody needs is given back; then whoever holds most goes, until the others fit.
    @inline(never)
    private func makeRoom(within limit: Int) {
        warm.coolDown()
        guard bytes > limit else { return }
        for connection in open.values.sorted(by: { $0.counted > $1.counted }) where bytes > limit {
            counts.cutOffForMemory += 1
            connection.cutOff(
                "all clients together hold \(bytes) bytes, above the limit client-bytes, and it holds most of them: \(connection.counted)"
            )
        }
    }
}

// MARK: - For commands

extension Connections: ClientList {
    package var everybody: [Client] { all.map(\.client) }

    package var report: [(String, String)] {
        let overTcp = count { $0.door == .tcp }
        return [
            ("connected_clients", "\(count)"), ("unix_clients", "\(count - overTcp)"), ("tcp_clients", "\(overTcp)"),
            ("strangers", "\(strangerCount)"), ("subscribed_clients", "\(count { $0.client.isSubscribed })"),
            ("total_connections_received", "\(counts.accepted)"), ("rejected_connections", "\(counts.refused)"),
            ("cut_off_clients", "\(counts.cutOff)"), ("cut_off_for_memory", "\(counts.cutOffForMemory)"),
        ]
    }
}
