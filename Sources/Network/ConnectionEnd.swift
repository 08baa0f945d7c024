// How a connection ends: because the daemon does, because it was cut off, because its time is up or others need the room.

extension Connection {
    /// The daemon ends: what has come until now is answered, and then the connection closes.
    func finish() {
        guard phase == .open else { return }
        receive()
        isLastWord = true
        if hearing == .attentive { closeWhenSent() }
        connections.hasSpoken(self)
    }

    /// Ends the connection for what the other side has done, or has not done.
    func cutOff(_ reason: String) {
        guard phase != .closed else { return }
        hasBeenCutOff(reason)
        close()
    }

    private func hasBeenCutOff(_ reason: String) {
        connections.counts.cutOff += 1
        host.log.write(.notice, provokedBy: .cutOff, "cut off \(address): \(reason)")
    }

    /// It had a time in which to say who it is, or to read its last answers.
    func timeIsUp() {
        switch phase {
        case .open:
            expel("no token has come within \(host.limits.strangerMilliseconds) ms", "it has not said who it is")
        // It is not to blame for the disk, and not to be told what that has not kept.
        case .closing where held.isHolding: connections.isLeaving(self)
        case .closing: cutOff("it does not read the last of what it is sent")
        case .expelled: close()
        case .closed: return
        }
    }

    /// It has not said who it is, and another one has come.
    func makeRoom() {
        let most = host.limits.strangers
        expel(
            "another connection needed the room: at most \(most) may be here without a token",
            "others without a token needed the room")
    }

    /// Somebody who has not said who it is goes, and is told why when the turn ends.
    private func expel(_ sentence: String, _ reason: String) {
        guard phase == .open else { return }
        hasBeenCutOff(reason)
        output.append(error: "NOAUTH", sentence)
        phase = .expelled
        readable?.stop()
        connections.isLeaving(self)
        connections.hasSpoken(self)
    }

    func close() {
        guard phase != .closed else { return }
        phase = .closed
        host.log.debug("\(address) is gone")
        readable?.stop()
        writable?.stop()
        // Nobody will be sent it. The input stays until the turn is over: a request in it may be the one that is carried out.
        output.removeAll()
        output.releaseMemory()
        connections.forget(self)
    }

    /// The turn in which it has ended is over: whoever still holds it, it holds nothing itself.
    func letGo() {
        (readable, writable) = (nil, nil)
        descriptor.close()
        input.removeAll()
        input.releaseMemory()
    }
}
