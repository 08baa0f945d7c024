// What a connection is sent, once that may leave.

import Glibc
import RESP

extension Connection {
    /// The turn is over. What has been said in it may leave, or must wait until this batch is safe: that is decided in one place,
    /// `Connections.releaseOutput`, and nothing leaves that has not been through here.
    func release(awaiting batch: UInt64?) {
        isTalking = false
        guard phase != .closed else { return }
        defer { answered = 0 }
        if let batch { return held.hold(output.count, answers: answered, until: batch) }
        held.letGo(output.count)
        sendMore()
    }

    /// Whether something that it was told waits for the disk.
    var isHeldBack: Bool { held.isHolding && phase != .closed }

    /// All batches up to this one are safe.
    func releaseHeld(through safe: UInt64) {
        guard phase != .closed else { return }
        held.release(through: safe)
        sendMore()
    }

    /// What it was told is not on disk, and will not be soon: it is told that instead.
    func takeBack(_ error: CommandError, safe: UInt64) {
        guard phase != .closed else { return }
        let vain = held.giveUp(output.count, safe: safe)
        output.takeBack(vain.bytes)
        for _ in 0..<vain.answers { output.append(error: error.code, error.sentence) }
        // All that had not been released is gone, and this is true whatever becomes of the disk.
        if vain.answers > 0 { held.letGo(output.count) }
        sendMore()
    }

    func sendMore() {
        guard phase != .closed else { return }
        send()
        connections.count(self)
    }

    /// Sends what has been released, as far as the connection takes it; the rest waits until it takes more.
    private func send() {
        while held.free > 0 {
            let bytes = output.unsent
            let count = Glibc.send(descriptor.number, bytes.baseAddress, held.free, Int32(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return waitToSend() }
            guard count > 0 else { return close() }
            output.consume(count)
            held.hasSent(count)
        }
        writable?.stop()
        guard output.isEmpty else { return }
        switch phase {
        case .open: break
        case .closing, .expelled: return close()
        case .closed: return
        }
        if hearing == .suspended { waitForTurn() }
        if !isWarm { connections.hasWarmedUp(self) }
    }

    private func waitToSend() {
        guard phase != .expelled else { return close() }
        guard output.count < host.limits.outputBytes else { return doesNotRead() }
        do { try writable?.start() } catch { close() }
    }

    func doesNotRead() { cutOff("it does not read what it is sent: \(output.count) bytes wait") }
}
