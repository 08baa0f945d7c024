// MULTI, EXEC and DISCARD: their replies and guarantees.

import Testing
import Texts
@testable import Commands
@testable import Sessions

@Suite struct `Transactions` {
    @Test func `EXEC executes the queued commands together, and replies with one array`() throws {
        try transcript(
            """
            > MULTI
            < +OK
            > NEW hall turns
            < +QUEUED
            > SEND hall pass
            < +QUEUED
            > SEND hall jump
            < +QUEUED
            > DROP nobody
            < +QUEUED
            > EXEC
            < *4
            < +first
            < +second
            < -BADEVENT 'turns' has no event 'jump'; available: pass
            < :0
            > EXEC
            < -ERR EXEC without MULTI
            > MULTI
            < +OK
            > EXEC
            < *0
            """, with: Conversation())
    }

    @Test func `EXEC executes nothing if a command was refused when it was queued`() throws {
        let conversation = Conversation()
        for wrong in ["NOSUCH", "SEND room", "DISCARD x", "EXEC x"] {
            try transcript("> MULTI\n< +OK\n> NEW hall turns\n< +QUEUED", with: conversation)
            #expect(try conversation.ask(wrong).isError, "\(wrong)")
            let reply = try conversation.ask("EXEC").sentence
            let sentence = wrong == "EXEC x" ? "EXEC without MULTI" : "Transaction discarded because of previous errors."
            #expect(reply?.hasSuffix(sentence) == true, "\(wrong): \(reply ?? "")")
            #expect(conversation.host.sessions.count == 0, "\(wrong)")
        }
        try transcript(
            """
            > MULTI
            < +OK
            > EXEC x
            < -EXECABORT Transaction discarded because of: wrong number of arguments for 'EXEC'; usage: EXEC
            """, with: conversation)
    }

    @Test func `A transaction command in the wrong place is refused as in Redis, without further effect`() throws {
        try transcript(
            """
            > DISCARD
            < -ERR DISCARD without MULTI
            > UNWATCH
            < +OK
            > WATCH room
            < -ERR sessions are not watched; SEND session event [payload] IF version is refused if the session has changed
            > MULTI
            < +OK
            > MULTI
            < -ERR MULTI calls can not be nested
            > WATCH room
            < -ERR WATCH inside MULTI is not allowed
            > NEW hall turns
            < +QUEUED
            > EXEC
            < *1
            < +first
            """, with: Conversation())
    }

    @Test(arguments: ["DISCARD", "RESET"])
    func `The queued commands of a discarded transaction are never executed`(word: String) throws {
        let conversation = Conversation()
        try transcript("> MULTI\n< +OK\n> NEW hall turns\n< +QUEUED", with: conversation)
        #expect(try conversation.send(line: word).starts(with: Array("+".utf8)))
        try transcript("> EXEC\n< -ERR EXEC without MULTI\n> SESSIONS\n< *2\n< $1\n< 0\n< *0", with: conversation)
    }

    @Test func `SUBSCRIBE in a transaction is confirmed within its reply, and messages follow the reply`() throws {
        let conversation = Conversation()
        for line in ["NEW hall turns", "MULTI", "SUBSCRIBE session:hall session:b", "SEND hall pass"] {
            _ = try conversation.ask(line)
        }
        let reply = String(decoding: try conversation.send(line: "EXEC"), as: UTF8.self)
        let confirmed =
            "*3\r\n$9\r\nsubscribe\r\n$12\r\nsession:hall\r\n:1\r\n*3\r\n$9\r\nsubscribe\r\n$9\r\nsession:b\r\n:2\r\n"
        #expect(reply.hasPrefix("*3\r\n" + confirmed + "+second\r\n*3\r\n$7\r\nmessage\r\n"), "\(reply)")
    }

    @Test func `A message to the client itself never interrupts the reply of EXEC`() throws {
        let conversation = Conversation()
        for line in ["HELLO 3", "NEW hall turns", "SUBSCRIBE session:hall", "MULTI", "SEND hall pass", "SEND hall pass"] {
            _ = try conversation.ask(line)
        }
        let reply = String(decoding: try conversation.send(line: "EXEC"), as: UTF8.self)
        #expect(reply.hasPrefix("*2\r\n+second\r\n+first\r\n>3\r\n"), "\(reply)")
        #expect(reply.split(separator: ">3").count == 3)
    }

    @Test(arguments: [("2", "3", ">"), ("3", "2", "*")])
    func `Messages after the reply of EXEC have the version of the protocol that a HELLO in it has chosen`(
        before: String, after: String, mark: String
    ) throws {
        let conversation = Conversation()
        for line in ["HELLO \(before)", "NEW hall turns", "MULTI", "SUBSCRIBE session:hall", "SEND hall pass"] {
            _ = try conversation.ask(line)
        }
        for line in ["HELLO \(after)", "SEND hall pass"] { _ = try conversation.ask(line) }
        let reply = String(decoding: try conversation.send(line: "EXEC"), as: UTF8.self)
        let messages = reply[try #require(reply.firstRange(of: "+first\r\n")).upperBound...]
        let head = "\(mark)3\r\n$7\r\nmessage\r\n"
        #expect(messages.hasPrefix(head) && messages.split(separator: head).count == 2, "\(reply)")
    }

    @Test func `The commands queued in a transaction are bounded in number and bytes`() throws {
        let conversation = Conversation {
            $0.transactionCommands = 2
            $0.transactionBytes = 1_024
        }
        #expect(try conversation.ask("MULTI").text == "OK")
        for _ in 0..<2 { #expect(try conversation.ask("PING").text == "QUEUED") }
        #expect(
            try conversation.ask("PING").sentence?.contains("a transaction has 2 commands at most")
                == true)
        #expect(try conversation.ask("EXEC").code == .executionAborted)
        #expect(try conversation.ask("MULTI").text == "OK")
        #expect(
            try conversation.ask("ECHO " + String(repeating: "x", count: 1_024)).sentence?.contains("transaction-bytes N")
                == true)
        #expect(try conversation.ask("DISCARD").text == "OK")
    }

    @Test func `EXEC discards replies that are too long, and still executes its commands`() throws {
        let conversation = Conversation { $0.outputBytes = 4_096 }
        let long = String(repeating: "x", count: 3_000)
        for line in ["MULTI", "ECHO \(long)", "ECHO \(long)", "NEW hall turns"] { _ = try conversation.ask(line) }
        #expect(try conversation.ask("EXEC").sentence?.hasPrefix("all 3 commands were executed") == true)
        #expect(conversation.host.sessions.count == 1)
    }
}
