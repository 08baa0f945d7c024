// What may stand at the end of SEND, in any order: IF with a version, and ID with an id that makes repeating safe.

import GameFlow
import RESP
import Sessions
import Texts

struct SendOptions {
    var condition: VersionCondition?
    var id: EventID?
}

extension Call {
    /// Called where SEND has more words than a payload.
    func sendOptions() throws(CommandError) -> SendOptions {
        var options = SendOptions()
        for index in stride(from: count.isMultiple(of: 2) ? 4 : 3, to: count - 1, by: 2) {
            if arguments[index].isWord("IF"), options.condition == nil {
                options.condition = try VersionCondition(text(index + 1))
            } else if arguments[index].isWord("ID"), options.id == nil {
                options.id = EventID(try id(index + 1), of: client.grant.name)
            } else {
                throw .syntax(command.syntax)
            }
        }
        return options
    }

    private func id(_ index: Int) throws(CommandError) -> String {
        let bytes = arguments[index].bytes
        guard (1...EventID.longest).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw CommandError(
                .generic,
                "an id has 1 to \(EventID.longest) printable ASCII characters and no blanks, not '\(quoted(index))'")
        }
        return text(index)
    }

    /// An event whose id the session remembers changes nothing: its sender gets the first answer again.
    func send(to session: Session, _ options: SendOptions) throws(CommandError) {
        let machine = session.machine
        guard let id = options.id else { return send(arguments[2], to: session, machine, if: options.condition) }
        let fingerprint = fingerprint
        if let known = machine.sent?.find(id) { return try answerAgain(known, fingerprint) }
        eventID = id
        defer { eventID = nil }
        send(arguments[2], to: session, machine, if: options.condition)
        machine.remember(SentEvent(id, fingerprint: fingerprint, answer: answer), atMost: host.limits.ids)
        host.sessions.keep(machine)
    }

    private func answerAgain(_ event: SentEvent, _ fingerprint: UInt64) throws(CommandError) {
        guard event.fingerprint == fingerprint else {
            throw CommandError(
                .generic, "the id '\(event.id.id)' belongs to another event or payload; give each event an id of its own")
        }
        switch event.answer {
        case .state(let state): reply.append(simple: state)
        case .refused(let code, let sentence): reply.append(error: code, sentence)
        case nil:
            throw CommandError(.busy, "the event with the id '\(event.id.id)' still waits for a hook; ask again in a moment")
        }
    }

    /// What has been answered just now, in the output's last line; nil if the event waits, and its receipt has taken the id.
    private var answer: SentAnswer? {
        guard eventID != nil else { return nil }
        let line = reply.unsent.dropLast(2)
        let start = line.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? line.startIndex
        return SentAnswer(String(decoding: line[start...], as: UTF8.self))
    }

    /// FNV-1a of the event's name and its payload, as they were sent.
    private var fingerprint: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        arguments[2].bytes.forEach(add)
        if count.isMultiple(of: 2) {
            add(0)
            arguments[Self.payloadIndex].bytes.forEach(add)
        }
        return hash
    }
}
