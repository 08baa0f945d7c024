// The model of ids reports wrong replies, and ids that are wrongly kept or forgotten.

import GameFlow
import Memory
import RESP
import Testing

@Suite struct `The fuzzer's model of ids` {
    private static let name: ByteString = "a"

    /// Follows SENDs to one life of a session, each with its reply and the ids that are remembered then.
    private func apply(
        _ sends: [(line: String, reply: Reply, ids: [(String, SentAnswer)])], actor: String = "ann", limit: Int = 64
    ) throws -> [Bool] {
        var model = SendsModel()
        return try sends.map { send in
            let shown = SendsModel.Shown(
                life: 1, events: send.ids.map { SentEvent(EventID($0, of: actor), fingerprint: 0, answer: $1) })
            let words = send.line.split(separator: " ").map { Array($0.utf8) }
            let sending = SendsModel.Sending(words: words, actor: actor, reply: send.reply, lifeBefore: 1)
            return try model.apply(sending, to: Self.name, shown, limit: limit)
        }
    }

    private static let first = (
        line: "SEND a pass ID k", reply: Reply.simple("second"), ids: [("k", SentAnswer.state("second"))]
    )

    @Test func `The model expects the first reply again, and an error for another event or payload`() throws {
        let again = Self.first
        let other = (line: "SEND a pass 7 ID k", reply: Reply.error(code: .generic, text: "no"), ids: Self.first.ids)
        #expect(try apply([Self.first, again, other]) == [false, true, true])
    }

    @Test(arguments: [
        ("SEND a pass ID k", Reply.simple("first")), ("SEND a pass 7 ID k", .simple("second")),
        ("SEND a other ID k", .simple("second")), ("SEND a pass ID k", .error(code: .generic, text: "no")),
    ]) func `The model reports another reply to a repeated id`(line: String, reply: Reply) throws {
        #expect(throws: Fault.self) { try apply([Self.first, (line, reply, Self.first.ids)]) }
    }

    @Test func `The model reports an id that is forgotten too early, or not at all`() throws {
        let second = (line: "SEND a pass ID l", reply: Reply.simple("first"), ids: [("l", SentAnswer.state("first"))])
        #expect(throws: Fault.self) { try apply([Self.first, second]) }
        #expect(try apply([Self.first, second], limit: 1) == [false, false])
        let both = (line: second.line, reply: second.reply, ids: Self.first.ids + second.ids)
        #expect(throws: Fault.self) { try apply([Self.first, both], limit: 1) }
        #expect(try apply([Self.first, both]) == [false, false])
    }

    @Test func `The model reports an id that outlives the session's life`() throws {
        let sent = SentEvent(EventID("k", of: "ann"), fingerprint: 0, answer: .state("second"))
        #expect(throws: Fault.self) { try SendsModel().check(Self.name, SendsModel.Shown(life: 2, events: [sent])) }
    }
}
