// In a cluster, the node that owns the session executes the command.

import Cluster
import Memory
import RESP

extension Call {
    /// Throws if another node owns the session that the command names, or no node does just now.
    func checkOwner(in cluster: any ClusterMember) throws(CommandError) {
        switch command.keys {
        case .none: return
        case .first: if count > 1 { try cluster.check(slot: HashSlot.of(arguments[1].bytes)) }
        case .all, .shardedChannels: if let slot = try commonSlot() { try cluster.check(slot: slot) }
        case .channels: try checkOwners(ofChannelsIn: cluster)
        }
    }

    /// The slot of all sessions that the command names; nil if it names none.
    func commonSlot() throws(CommandError) -> Int? {
        var common: Int?
        for index in 1..<max(count, 1) where index == 1 || command.keys != .first {
            guard let slot = slot(ofWord: index) else { continue }
            guard common == nil || common == slot else { throw .crossSlot }
            common = slot
        }
        return common
    }

    private func slot(ofWord index: Int) -> Int? {
        let word = arguments[index].bytes
        switch command.keys {
        case .none: return nil
        case .first, .all: return HashSlot.of(word)
        // Other words, such as SINCE, have no slot.
        case .shardedChannels: return SessionChannel(sharded: ByteString(word)).map { _ in HashSlot.of(word) }
        case .channels: return SessionChannel(plain: ByteString(word))?.slot
        }
    }

    /// Plain channels may be of different slots, as long as this node has them all. One that no node serves at the moment may soon be here.
    private func checkOwners(ofChannelsIn cluster: any ClusterMember) throws(CommandError) {
        var (isAnyHere, refusal): (Bool, CommandError?) = (false, nil)
        for index in 1..<count {
            guard let slot = slot(ofWord: index) else { continue }
            do throws(CommandError) {
                try cluster.check(slot: slot)
                isAnyHere = true
            } catch {
                refusal = refusal ?? error
            }
        }
        guard let refusal else { return }
        throw isAnyHere && refusal.code == .moved ? .severalNodes : refusal
    }
}

extension Host {
    /// The same for sides that answer without a command.
    package func checkOwner(of session: ByteString) throws(CommandError) {
        try cluster?.check(slot: session.withBytes(HashSlot.of))
    }

    /// Why a session of this name cannot be here; nil if it can.
    package func whyElsewhere(_ session: String) -> CommandError? {
        do throws(CommandError) { try checkOwner(of: ByteString(session)) } catch { return error }
        return nil
    }
}

extension CommandError {
    fileprivate static let severalNodes = CommandError(
        .crossSlot, "these sessions are on several nodes; subscribe to each at its own, or to names with the same {tag} in them"
    )
}
