// A node's standing as JSON, for the table that people read.

import Cluster
import JSON

extension Standing {
    var text: String {
        let declined = declined.sorted { $0.key < $1.key }.map { shard, flows in
            JSON.Member("\(shard)", .array(flows.map(JSON.string)))
        }
        return JSON.object([.init("leaving", .bool(isLeaving)), .init("declined", .object(declined))]).description
    }

    /// What is not written like that is as if nothing was said.
    init(text: String) {
        let said = try? JSON(parsing: text)
        var declined: [Int: [String]] = [:]
        if case .object(let shards)? = said?["declined"] {
            for member in shards {
                guard let shard = Int(member.name), case .array(let flows) = member.value else { continue }
                declined[shard] = flows.compactMap { if case .string(let flow) = $0 { flow } else { nil } }
            }
        }
        self.init(isLeaving: said?["leaving"] == .bool(true), declined: declined)
    }
}
