// The registry in PostgreSQL: the nodes, and the owner of each shard.

import Cluster
import Postgres
import Store

package final class PostgresRegistry: Registry {
    private let connection: Connection
    private let server: ServerStart
    private let logServer: LogServer
    private let lease: Int64
    /// The reason if the last answer was a failure.
    package private(set) var failure: String?

    /// A notification has 8,000 bytes at most.
    private static let maxNotifiedAtOnce = 200

    init(
        _ address: String, lease: Duration, _ timeouts: Timeouts?, _ interrupter: Interrupter, _ logServer: LogServer
    ) throws(StoreError) {
        (connection, server) = try asking { () throws(PostgresError) in
            let connection = try Connection(
                address, name: "gamed lease", timeouts: timeouts ?? .lease, interrupter: interrupter)
            try connection.run("LISTEN gamed")
            try connection.prepare(RegistryStatements.all)
            return (connection, try ServerStart(connection))
        }
        self.logServer = logServer
        self.lease = Int64(lease / .microseconds(1))
    }

    package func ask(_ request: Request) -> Answer {
        do throws(PostgresError) {
            switch request {
            case .join(let joining): return try join(joining)
            case .renew(let renewal): return try renew(renewal)
            case .leave(let incarnation): return try leave(incarnation)
            }
        } catch {
            failure = StoreError(error).description
            connection.close()
            return .failed
        }
    }

    package func announce(_ arrivals: [Arrival]) {
        for first in stride(from: 0, to: arrivals.count, by: Self.maxNotifiedAtOnce) {
            let some = arrivals[first..<min(first + Self.maxNotifiedAtOnce, arrivals.count)]
            _ = try? connection.execute(RegistryStatements.tell, [.text(MemberEvent.payload(some))])
        }
    }

    package func notices(orUntil waker: Int32, atMost milliseconds: Int32) -> [MemberEvent]? {
        let payloads = try? connection.notifications(until: Deadline(inMilliseconds: milliseconds), orReadable: waker)
        return payloads?.map { MemberEvent($0) }
    }

    package func close() { connection.close() }

    // MARK: Requests

    private func join(_ joining: Joining) throws(PostgresError) -> Answer {
        let (id, attempt) = (Parameter.text("\(joining.id)"), Parameter.int32(Int32(clamping: joining.attempt)))
        let (host, port) = (Parameter.text(joining.address.host), Parameter.int32(Int32(clamping: joining.address.port)))
        var unproven = joining.standing
        unproven.isUnproven = true
        let answers = try transaction(
            [
                (RegistryStatements.lock, []), (RegistryStatements.endNamesakes, [id, attempt]),
                (RegistryStatements.endPredecessor, [.int64(joining.replaces?.number ?? 0), host, port]),
                (RegistryStatements.forgetEnded, []), (RegistryStatements.deaths, [host, port]),
                (RegistryStatements.occupant, [id, host, port]),
                (
                    RegistryStatements.join,
                    [id, attempt, host, port, .text(joining.standing.text), .int64(lease), .text(unproven.text)]
                ),
                (RegistryStatements.lockOrphans, []), (RegistryStatements.orphan, []), (RegistryStatements.count, []),
            ] + update(since: 0))
        let (deaths, occupant, joined) = (answers[4], answers[5], answers[6])
        if joined.count == 1, let number = try joined.int64(0, 0) {
            let count = Int(clamping: try deaths.int64(0, 0) ?? 0)
            return .joined(Incarnation(number), try readUpdate(answers.suffix(5)), deaths: count)
        }
        guard occupant.count == 1, let other = try occupant.int64(0, 0), let until = try occupant.int64(0, 1) else {
            return try refusalOfMove() ?? .ended
        }
        return .occupied(Incarnation(other), leaseUntil: RegistryTime(microseconds: until))
    }

    /// Refuses joins while all sessions are being moved elsewhere, or were moved. The node may ask again.
    private func refusalOfMove() throws(PostgresError) -> Answer? {
        guard let mark = try StoreMark.read(connection) else { return nil }
        failure = mark.refusal(at: connection.server).description
        connection.close()
        return .failed
    }

    private func renew(_ renewal: Renewal) throws(PostgresError) -> Answer {
        guard !renewal.handsOver || logServer.mayHandOver(on: server) else {
            throw PostgresError(
                .notSent,
                "\(connection.server) is another server than before, or was started again: it may lack the last changes of released shards, "
                    + "which are loaded again")
        }
        let id = renewal.id.map { Parameter.text("\($0)") } ?? .null
        let renewing = (RegistryStatements.renew, [Parameter.int64(renewal.incarnation.number), .int64(lease), id])
        let first = renewal.isPlain ? [] : [(RegistryStatements.lock, [])] + (renewal.raises?.raisingSteps(lease: lease) ?? [])
        let steps = first + [renewing] + (renewal.isPlain ? [] : steps(of: renewal)) + update(since: renewal.seen)
        let answers = try transaction(steps)
        let renewed = answers[first.count]
        let update = try readUpdate(answers.suffix(5), renewals: renewed.count == 1 ? try renewed.int64(0, 0) : nil)
        guard update.renewals != nil else {
            return renewal.isForgotten(by: update.version, rewinds: update.rewinds)
                ? .forgotten(version: update.version) : .ended
        }
        return .update(update)
    }

    /// All but the renewal itself; each counts only where the asker's incarnation has not ended.
    private func steps(of renewal: Renewal) -> [(Statement, [Parameter])] {
        let me = Parameter.int64(renewal.incarnation.number)
        var steps: [(Statement, [Parameter])] = []
        if let standing = renewal.standing { steps.append((RegistryStatements.publish, [me, .text(standing.text)])) }
        if !renewal.ends.isEmpty {
            let ends = Parameter.array(BinaryArray(renewal.ends.map(\.number)))
            steps += [(RegistryStatements.end, [me, ends]), (RegistryStatements.endSessions, [ends])]
        }
        if !renewal.moves.isEmpty {
            let moves = renewal.moves
            let columns = [
                BinaryArray(moves.map { Int32($0.shard) }), BinaryArray(moves.map(\.epoch)),
                BinaryArray(moves.map { $0.from?.number }), BinaryArray(moves.map { $0.to?.number }),
            ].map(Parameter.array)
            steps += [(RegistryStatements.lockShards, [columns[0]]), (RegistryStatements.move, [me] + columns)]
        }
        if !renewal.ends.isEmpty {
            steps += [(RegistryStatements.lockOrphans, []), (RegistryStatements.orphan, [])]
        }
        return steps + [(RegistryStatements.count, [])]
    }

    private func leave(_ incarnation: Incarnation) throws(PostgresError) -> Answer {
        let answers = try transaction([
            (RegistryStatements.lock, []), (RegistryStatements.leave, [.int64(incarnation.number)]),
            (RegistryStatements.lockOrphans, []), (RegistryStatements.orphan, []), (RegistryStatements.count, []),
        ])
        return answers[1].count == 1 ? .left : .ended
    }

    /// Executes statements together, or none of them. Returns the rows of each.
    private func transaction(_ steps: [(Statement, [Parameter])]) throws(PostgresError) -> [Rows] {
        for (statement, values) in steps { try connection.send(statement, values) }
        try connection.sync()
        return try connection.takeAll(until: Deadline(in: connection.timeouts.answer))
    }

    // MARK: News

    /// The version comes first: changes made while the rest is read are then reported again. The count of rewinds comes last: shards of a registry
    /// that is raised meanwhile are not taken as those of the one before.
    private func update(since version: Int64) -> [(Statement, [Parameter])] {
        [
            (RegistryStatements.time, []), (RegistryStatements.nodes, [.int64(version)]),
            (RegistryStatements.shards, [.int64(version)]), (RegistryStatements.lapsing, [.int64(lease / 2)]),
            (RegistryStatements.rewinds, []),
        ]
    }

    private func readUpdate(_ answers: ArraySlice<Rows>, renewals: Int64? = nil) throws(PostgresError) -> RegistryUpdate {
        let first = answers.startIndex
        let (time, nodes, shards) = (answers[first], answers[first + 1], answers[first + 2])
        let (lapsing, counts) = (answers[first + 3], answers[first + 4])
        var update = (nodes: [NodeRecord](), shards: [ShardRecord](), lapsing: [LapsingLease]())
        for row in 0..<nodes.count { if let node = try NodeRecord(nodes, row) { update.nodes.append(node) } }
        for row in 0..<shards.count {
            update.shards.append(
                ShardRecord(
                    shard: Int(try shards.int64(row, 0) ?? 0), owner: try shards.int64(row, 1).map(Incarnation.init),
                    epoch: try shards.int64(row, 2) ?? 0))
        }
        for row in 0..<lapsing.count {
            update.lapsing.append(
                LapsingLease(
                    incarnation: Incarnation(try lapsing.int64(row, 0) ?? 0),
                    remaining: .microseconds(try lapsing.int64(row, 1) ?? 0)))
        }
        guard time.count == 1, let now = try time.int64(0, 0), let version = try time.int64(0, 1),
            counts.count == 1, let rewinds = try counts.int64(0, 0)
        else {
            throw PostgresError(.unreadable, "the database's table cluster is empty: `gamed --init` has filled it")
        }
        return RegistryUpdate(
            time: RegistryTime(microseconds: now), version: version, nodes: update.nodes, shards: update.shards,
            lapsing: update.lapsing, rewinds: rewinds, renewals: renewals)
    }
}

extension Timeouts {
    /// Short enough for a second try within a lease.
    fileprivate static let lease = Timeouts(
        connect: .milliseconds(800), statement: .milliseconds(700), lock: .milliseconds(600), answer: .milliseconds(800))
}

extension NodeRecord {
    /// Nil where the row is not one that a node has written.
    fileprivate init?(_ rows: Rows, _ row: Int) throws(PostgresError) {
        guard let incarnation = try rows.int64(row, 0), let id = try rows.text(row, 1).flatMap({ NodeID($0) }),
            let host = try rows.text(row, 2), let port = try rows.int64(row, 3), let standing = try rows.text(row, 4),
            let hasEnded = try rows.bool(row, 5)
        else { return nil }
        self.init(
            id: id, incarnation: Incarnation(incarnation), address: NodeAddress(host: host, port: Int(port)),
            standing: NodeStatus(text: standing), hasEnded: hasEnded)
    }

    fileprivate func restoringSteps(_ rewinds: Parameter, _ lease: Int64) -> [(Statement, [Parameter])] {
        let node: [Parameter] = [
            rewinds, .int64(incarnation.number), .text("\(id)"), .text(address.host), .int32(Int32(clamping: address.port)),
        ]
        return [
            (RegistryStatements.endOlder, node),
            (RegistryStatements.restoreNode, node + [.int64(lease), .text(standing.text)]),
        ]
    }
}

// MARK: - The statements that raise a registry which went back in time. See Renewal in Cluster/Registry/Request.swift.

extension Remembered {
    /// `lease` is in microseconds.
    func raisingSteps(lease: Int64) -> [(Statement, [Parameter])] {
        let rewinds = Parameter.int64(rewinds)
        let shards = Parameter.array(BinaryArray(epochs.indices.map { Int32($0) }))
        let owners = Parameter.array(BinaryArray(owners.map { $0?.number }))
        let first: [(Statement, [Parameter])] = [
            (RegistryStatements.lockShards, [shards]), (RegistryStatements.raiseVersion, [.int64(version), rewinds]),
        ]
        let last: [(Statement, [Parameter])] = [
            (RegistryStatements.raiseEpochs, [rewinds, shards, .array(BinaryArray(epochs)), owners]),
            (RegistryStatements.lockOrphans, []), (RegistryStatements.orphan, []),
        ]
        return first + nodes.flatMap { $0.restoringSteps(rewinds, lease) } + last
    }
}
