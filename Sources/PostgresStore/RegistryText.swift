// The texts that nodes publish: a node's state as JSON, for the table that people read, and notices.

import Cluster
import JSON

extension NodeStatus {
    var text: String {
        let declined = declined.sorted { $0.key < $1.key }.map { shard, flows in
            JSON.Member("\(shard)", .array(flows.map(JSON.string)))
        }
        var members: [JSON.Member] = [.init("leaving", .bool(isLeaving)), .init("declined", .object(declined))]
        if isUnproven { members.append(.init("unproven", .bool(true))) }
        if clock.jumps > 0 { members.append(.init("clock", clock.json)) }
        members += definitions.members
        if !misfits.isEmpty {
            let shards = misfits.sorted { $0.key < $1.key }.map {
                JSON.Member("\($0)", .object($1.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .integer($0.value)) }))
            }
            members.append(.init("unfit", .object(shards)))
        }
        return JSON.object(members + (door.map { [.init("http", $0.json)] } ?? [])).description
    }

    /// Malformed text counts as empty.
    init(text: String) {
        let json = try? JSON(parsing: text)
        var declined: [Int: [String]] = [:]
        for (shard, flows) in Self.shards(json?["declined"]) {
            guard case .array(let flows) = flows else { continue }
            declined[shard] = flows.compactMap(\.text)
        }
        self.init(
            isLeaving: json?["leaving"] == .bool(true), isUnproven: json?["unproven"] == .bool(true), declined: declined,
            door: json?["http"].flatMap { NodeEndpoint(json: $0) })
        if let clock = json?["clock"].flatMap({ ClockCorrection(json: $0) }) { self.clock = clock }
        if let json { setDefinitions(FlowDefinitions(json: json)) }
        for (shard, flows) in Self.shards(json?["unfit"]) { setMisfits(Self.counts(flows), of: shard) }
    }

    /// Of shards that there can be.
    private static func shards(_ json: JSON?) -> [(Int, JSON)] {
        (json?.members ?? []).compactMap { member in
            Int(member.name).flatMap { (0..<HashSlot.count).contains($0) ? ($0, member.value) : nil }
        }
    }

    private static func counts(_ json: JSON) -> [String: Int] {
        let counts = json.members.compactMap { member in
            member.value.integer.flatMap { (1...Int(UInt32.max)).contains($0) ? (member.name, $0) : nil }
        }
        return Dictionary(counts) { $1 }
    }
}

extension FlowDefinitions {
    fileprivate var members: [JSON.Member] {
        let flows = listed.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .string($0.value)) }
        return (flows.isEmpty ? [] : [.init("flows", .object(flows))]) + (rest.map { [.init("more_flows", .string($0))] } ?? [])
    }

    fileprivate init(json: JSON) {
        var listed: [String: String] = [:]
        for flow in json["flows"]?.members ?? [] { if let definition = flow.value.text { listed[flow.name] = definition } }
        self.init(listed: listed, rest: json["more_flows"]?.text)
    }
}

extension ClockCorrection {
    fileprivate var json: JSON {
        ["jumps": .integer(jumps), "correction_ns": .integer(Int(nanoseconds)), "error_ns": .integer(Int(error))]
    }

    fileprivate init?(json: JSON) {
        guard let jumps = json["jumps"]?.integer, let nanoseconds = json["correction_ns"]?.integer,
            let error = json["error_ns"]?.integer
        else { return nil }
        self.init(jumps: jumps, nanoseconds: Int64(nanoseconds), error: Int64(error))
    }
}

extension NodeEndpoint {
    fileprivate var json: JSON {
        [
            "host": .string(address.host), "port": .integer(address.port),
            "certificate": certificate.map { .string($0) } ?? .null, "key": .string(key),
        ]
    }

    fileprivate init?(json: JSON) {
        guard let host = json["host"]?.text, case .integer(let port)? = json["port"], (1...65_535).contains(port),
            let key = json["key"]?.text
        else { return nil }
        self.init(address: NodeAddress(host: host, port: port), certificate: json["certificate"]?.text, key: key)
    }
}

// MARK: - Notices as the payload of NOTIFY: incarnations, or "arrived" and shards with their epochs

extension MemberEvent {
    private static let arrival = "arrived"

    static func payload(_ arrivals: some Sequence<Arrival>) -> String {
        ([arrival] + arrivals.map { "\($0.shard):\($0.epoch)" }).joined(separator: " ")
    }

    /// Other payloads are ignored.
    init(_ payload: String) {
        let words = payload.split(separator: " ")
        guard words.first == Self.arrival[...] else {
            self = .shardsGained(words.compactMap { Int64($0) }.map(Incarnation.init))
            return
        }
        self = .arrived(
            words.dropFirst().compactMap { word in
                let numbers = word.split(separator: ":").compactMap { Int64($0) }
                return numbers.count == 2 ? Arrival(shard: Int(numbers[0]), epoch: numbers[1]) : nil
            })
    }
}
