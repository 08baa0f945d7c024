// Postponed events: their reply, VIEW, HISTORY and WITHDRAW.

import Foundation
import TestSupport
import Testing
@testable import JSON

@Suite struct `A postponed event on the wire` {
    private func launching() throws -> Conversation {
        let conversation = Conversation()
        _ = try conversation.ask("NEW app startup")
        return conversation
    }

    private func postponed(_ conversation: Conversation) throws -> [JSON] {
        let view = try JSON(parsing: try #require(try conversation.ask("VIEW app").text))
        return view["postponed"]?.elements ?? []
    }

    @Test func `The reply to a postponed event has POSTPONED before the state, and its ID repeats that reply`() throws {
        let conversation = try launching()
        #expect(try conversation.ask("SEND app deepLink /a ID k").text == "POSTPONED launching")
        #expect(try conversation.ask("SEND app deepLink /a ID k").text == "POSTPONED launching")
        #expect(try postponed(conversation).count == 1, "the second one changed nothing")
    }

    @Test func `A view lists postponed events with id, event, payload and age, the oldest first`() throws {
        let conversation = try launching()
        #expect(try postponed(conversation) == [])
        _ = try conversation.ask("SEND app deepLink /a")
        _ = try conversation.ask("ADVANCE 1500ms")
        _ = try conversation.ask("SEND app deepLink /b")
        let events = try postponed(conversation)
        #expect(events.map { $0["id"] } == [1, 2] && events.map { $0["event"] } == ["deepLink", "deepLink"])
        #expect(events.map { $0["payload"]?["link"] ?? $0["payload"] } == ["/a", "/b"])
        #expect(events.map { $0["age_ms"] } == [1_500, 0])
    }

    @Test func `A bare number for a text is postponed as the text that was sent`() throws {
        let conversation = try launching()
        #expect(try conversation.ask("SEND app deepLink 1.50").text == "POSTPONED launching")
        #expect(try postponed(conversation).map { $0["payload"] } == ["1.50"])
    }

    @Test func `WITHDRAW removes only the postponed event with that id, and is in the history`() throws {
        let conversation = try launching()
        for link in ["/a", "/b", "/c"] { _ = try conversation.ask("SEND app deepLink \(link)") }
        #expect(try conversation.ask("WITHDRAW app 2").text == "deepLink")
        #expect(try postponed(conversation).map { $0["id"] } == [1, 3])
        let entry = try #require(try conversation.ask("HISTORY app COUNT 1").list.first)
        #expect(entry["what"]?.text == "withdrawn" && entry["event"]?.text == "deepLink")
        #expect(entry["payload"]?.text?.contains("/b") == true && entry["source"]?.text == "network")
        #expect(try conversation.ask("STATE app")["version"]?.integer == 0, "it is no change of state")
    }

    @Test func `WITHDRAW of an unknown id is refused with the available ids`() throws {
        let conversation = try launching()
        #expect(try conversation.ask("WITHDRAW app 1").sentence?.contains("no event of this session is postponed") == true)
        _ = try conversation.ask("SEND app deepLink /a")
        #expect(try conversation.ask("WITHDRAW app 7").sentence?.contains("available: 1 (deepLink)") == true)
        for word in ["0", "-1", "x", "99999999999999999999"] {
            #expect(try conversation.ask("WITHDRAW app \(word)").isError, "\(word)")
        }
        #expect(try postponed(conversation).count == 1)
    }

    @Test func `A withdrawn event is not delivered when the session enters its state`() throws {
        let conversation = try launching()
        _ = try conversation.ask("SEND app deepLink /a")
        _ = try conversation.ask("WITHDRAW app 1")
        _ = try conversation.ask("FORCE app ready")
        let events = try conversation.ask("HISTORY app").list.map { $0["what"]?.text }
        #expect(!events.contains("taken"), "\(events)")
    }

    @Test func `A view shows only the beginning of a postponed event's long payload`() throws {
        let conversation = try launching()
        _ = try conversation.ask("SEND app deepLink \(String(repeating: "x", count: 10_000))")
        let payload = try #require(try postponed(conversation)[0]["payload"]?.text)
        #expect(payload.hasSuffix("…") && payload.utf8.count < 5_000)
    }

    @Test func `The id of a withdrawn event is not used again`() throws {
        let conversation = try launching()
        _ = try conversation.ask("SEND app deepLink /a")
        _ = try conversation.ask("WITHDRAW app 1")
        _ = try conversation.ask("SEND app deepLink /b")
        #expect(try postponed(conversation).map { $0["id"] } == [2])
    }
}
