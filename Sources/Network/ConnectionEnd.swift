// How a connection ends: with the daemon, cut off, timed out, or evicted for another.

import Commands
import RESP

extension Connection {
    /// The daemon is stopping: answers the requests that have arrived, then closes.
    func finish() {
        guard phase == .open else { return }
        isFinishing = true
        receive()
        connections.arrivals.answerAll()
        isFinishing = false
        isDraining = true
        if readState == .reading { closeWhenAnswered() } else { connections.scheduleFlush(self) }
    }

    /// The process ends before the request that waits has its answer.
    func answerAndClose(_ error: CommandError) {
        guard phase == .open || phase == .closing else { return }
        answerWaiting(error)
        closeWhenSent()
        connections.scheduleFlush(self)
    }

    private func answerWaiting(_ error: CommandError) {
        // Messages about changes that are not durable yet.
        if held.isHolding { output.removeLast(held.discard(output.count)) }
        if client.isWaiting { client.answer(error) }
    }

    /// Its requests that have no answer yet, or one that may not leave yet, are answered with this, as far as the socket takes it at once.
    func answerBeforeCutOff(_ error: CommandError) {
        guard phase == .open || phase == .closing else { return }
        releaseOutput(awaiting: .max)
        retractHeld(error, safeThrough: 0, keepingMessages: false)
        answerWaiting(error)
        releaseOutput(awaiting: nil)
    }

    /// Closes the connection for something the client did, or failed to do.
    func cutOff(_ reason: String) {
        guard phase != .closed else { return }
        recordCutOff(reason)
        close()
    }

    private func recordCutOff(_ reason: String) {
        connections.counts.cutOff += 1
        host.log.write(.notice, provokedBy: .cutOff, "disconnected \(address): \(reason)")
    }

    /// Its deadline for authenticating, or for reading its last replies, has passed.
    func handleDeadline() {
        switch phase {
        case .open where isShakingHands:
            cutOff("no TLS handshake within \(connections.limits.strangerMilliseconds) ms")
        case .open:
            expel("no token was sent within \(connections.limits.strangerMilliseconds) ms", "it has not authenticated")
        // The disk is late, not the client: replies are still held for it.
        case .closing where held.isHolding: connections.startClosingDeadline(for: self)
        case .closing: cutOff("it does not read its last replies")
        case .expelled: close()
        case .closed: return
        }
    }

    /// Not authenticated, and evicted for a newer connection.
    func evict(for limit: KeyPath<Limits, Int>) {
        guard !isShakingHands else { return cutOff("newer unauthenticated connections have replaced it") }
        let most = connections.limits[keyPath: limit]
        guard limit == \.strangers else {
            return expel(
                "a newer connection has replaced this one, which has sent no token: at most \(most) can be open",
                "it has sent no token, and a newer connection has replaced it")
        }
        expel(
            "a newer connection has replaced this one: at most \(most) can be open without a token",
            "newer connections without a token have replaced it")
    }

    /// Ends an unauthenticated connection; the client gets the reason when the turn ends.
    private func expel(_ sentence: String, _ reason: String) {
        guard phase == .open else { return }
        recordCutOff(reason)
        output.append(error: .notAuthenticated, sentence)
        phase = .expelled
        stopReading()
        connections.startClosingDeadline(for: self)
        connections.scheduleFlush(self)
    }

    func close() {
        guard phase != .closed else { return }
        (phase, client.isGone) = (.closed, true)
        host.log.debug("\(address) disconnected")
        if let secure {
            secure.close()
        } else {
            readable?.stop()
            writable?.stop()
        }
        // The input stays until the turn is over: a request in it may be the one being carried out.
        output.removeAll()
        output.releaseMemory()
        connections.forget(self)
    }

    /// Frees everything at the end of the turn in which it was closed, even if something still references it.
    func releaseResources() {
        (readable, writable, secure) = (nil, nil, nil)
        descriptor.close()
        input.removeAll()
        input.releaseMemory()
    }
}
