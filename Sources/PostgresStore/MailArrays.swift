// The messages of a commit as columns.

import Postgres
import Store

final class MailArrays {
    private let senders = BinaryArray(of: .int32)
    private let receivers = BinaryArray(of: .int32)
    private let bodies = BinaryArray(of: .bytes)
    private let takers = BinaryArray(of: .int32)
    private let taken = BinaryArray(of: .int64)

    var isEmpty: Bool { senders.count == 0 && takers.count == 0 }

    func fill(_ batches: [ShardBatch]) {
        for array in [senders, receivers, bodies, takers, taken] where array.count > 0 { array.removeAll() }
        for batch in batches {
            for message in batch.posted {
                senders.append(Int32(batch.shard.number))
                receivers.append(Int32(message.shard))
                message.body.withUnsafeBytes { bodies.append($0) }
            }
            for number in batch.taken {
                takers.append(Int32(batch.shard.number))
                taken.append(number)
            }
        }
    }

    /// Nothing where there are no messages.
    var parameters: [Parameter] {
        isEmpty ? [] : [.array(senders), .array(receivers), .array(bodies), .array(takers), .array(taken)]
    }
}
