// Numbers of actors, and the limits for each kind of actor.

import Testing
@testable import Sessions

@Suite struct `The table of actors` {
    @Test func `A table of actors maps each name to one number and back`() {
        let table = ActorTable()
        let numbers = (0..<1_000).map { table.number(of: "actor-\($0)") }
        #expect(Set(numbers).count == 1_000)
        #expect((0..<1_000).allSatisfy { table.number(of: "actor-\($0)") == numbers[$0] })
        #expect((0..<1_000).allSatisfy { table.name(numbers[$0]) == "actor-\($0)" })
        #expect(table.name(.none) == nil && table.name(.daemon) == "the daemon")
    }

    @Test func `The table of actors adds tokens after sessions and addresses have reached their limits`() {
        let table = ActorTable()
        for number in 0..<70_000 {
            _ = table.number(of: "session-\(number)", .session)
            _ = table.number(of: "address-\(number)", .address)
        }
        #expect(table.name(table.number(of: "one more", .session)) == "another session")
        #expect(table.name(table.number(of: "::1", .address)) == "another address")
        let numbers = (0..<16_000).map { table.number(of: "token-\($0)") }
        #expect(Set(numbers).count == 16_000 && table.name(numbers[15_999]) == "token-15999")
        #expect(table.name(table.number(of: "token-16000")) == "another client")
        #expect(table.name(table.number(of: "session-7", .session)) == "session-7")
    }

    @Test func `The table of actors truncates a name to 255 bytes`() {
        let table = ActorTable()
        let number = table.number(of: String(repeating: "é", count: 10_000))
        #expect(table.name(number)?.utf8.count ?? 0 <= 255)
        #expect(table.number(of: String(repeating: "é", count: 10_000)) == number)
    }
}
