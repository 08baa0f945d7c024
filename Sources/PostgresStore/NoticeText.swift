// Notices as the payload of NOTIFY: incarnations, or "arrived" and shards with their epochs.

import Cluster

extension RegistryNotice {
    private static let arrival = "arrived"

    var payload: String {
        switch self {
        case .gained(let nodes): nodes.map { "\($0.number)" }.joined(separator: " ")
        case .arrived(let arrivals): ([Self.arrival] + arrivals.map { "\($0.shard):\($0.epoch)" }).joined(separator: " ")
        }
    }

    /// Other payloads are ignored.
    init(_ payload: String) {
        let words = payload.split(separator: " ")
        guard words.first == Self.arrival[...] else {
            self = .gained(words.compactMap { Int64($0) }.map(Incarnation.init))
            return
        }
        self = .arrived(
            words.dropFirst().compactMap { word in
                let numbers = word.split(separator: ":").compactMap { Int64($0) }
                return numbers.count == 2 ? Arrival(shard: Int(numbers[0]), epoch: numbers[1]) : nil
            })
    }
}
