// Commands at a node of a cluster: executed here or redirected to another node.

import Cluster
import Memory
import RESP
import TestSupport
import Testing
import Texts
@testable import Commands
@testable import Sessions

/// A cluster whose other node owns some slots.
private final class TwoNodes: ClusterMember {
    /// Names of sessions whose slots the other node owns.
    var elsewhere: Set<String> = []
    /// The same of slots in transfer.
    var inTransfer: Set<String> = []

    func check(slot: Int) throws(CommandError) {
        if inTransfer.contains(where: { HashSlot.of($0) == slot }) { throw CommandError(.tryAgain, "in transfer") }
        if elsewhere.contains(where: { HashSlot.of($0) == slot }) { throw CommandError(.moved, "\(slot) other:7001") }
    }

    let name = String(repeating: "a", count: 40)
    let failure: String? = nil
    var report: ClusterReport { ClusterReport(at: .zero) }
    func other(ofSlot slot: Int) -> RemoteNode? { nil }
    let others: [RemoteNode] = []
    let incarnationNumber: Int64 = 1
    let wallNanoseconds: Int64 = 0
    let statistics = ClusterStatistics()
    /// The TCP port of the other node; 0 if it has no TCP listener.
    var otherPort = 7_001
    func sessions(ofSlot slot: Int) -> [Session] { [] }

    var peers: [ClusterPeer] {
        [peer("a", "this", 7_000, 0...8_191, true), peer("b", "other", otherPort, 8_192...16_383, false)]
    }

    private func peer(
        _ digit: Character, _ host: String, _ port: Int, _ slots: ClosedRange<Int>, _ isMyself: Bool
    ) -> ClusterPeer {
        ClusterPeer(
            name: String(repeating: digit, count: 40), host: host, port: port, http: isMyself ? "http://this:7650" : nil,
            incarnation: isMyself ? 1 : 2, isMyself: isMyself, state: isMyself ? .here : .silent, slots: [slots],
            shards: [isMyself ? 0...127 : 128...255],
            epoch: 3, missingFlows: [])
    }
}

@Suite struct `Commands at a node of a cluster` {
    private let nodes = TwoNodes()
    private let conversation: Conversation

    init() throws {
        conversation = Conversation()
        conversation.host.cluster = nodes
        for name in ["here", "there", "{there}:left"] { _ = try conversation.ask("NEW \(name) turns") }
        nodes.elsewhere = ["there"]
    }

    private func code(_ line: String) throws -> String? { try conversation.ask(line).code?.text }

    @Test(arguments: [
        "STATE there", "SEND there pass", "NEW there turns", "DROP there", "TIMERS there", "HISTORY there",
        "VIEW {there}:left", "WATCH there",
        "SUBSCRIBE session:there", "SUBSCRIBE view:there", "SUBSCRIBE view:{there}:left", "SSUBSCRIBE session:{there}",
        "SSUBSCRIBE view:{there}:left",
    ])
    func `A command about another node's session is redirected with MOVED`(line: String) throws {
        let answer = try conversation.ask(line)
        #expect(answer.code == .moved)
        #expect(answer.sentence == "\(HashSlot.of("there")) other:7001")
    }

    @Test(arguments: [
        "STATE here", "SUBSCRIBE session:here", "SSUBSCRIBE view:{here}", "PSUBSCRIBE session:*", "SESSIONS", "FLOWS",
    ])
    func `A command about this node's sessions is executed here`(line: String) throws {
        #expect(try !conversation.ask(line).isError)
    }

    @Test(arguments: ["WATCH here there", "SSUBSCRIBE session:{here} session:{there}", "SUBSCRIBE session:here view:there"])
    func `A command about sessions of two slots is refused with CROSSSLOT`(line: String) throws {
        #expect(try code(line) == "CROSSSLOT")
    }

    @Test func `SUBSCRIBE accepts plain channels of several local slots`() throws {
        _ = try conversation.ask("HELLO 3")
        #expect(try !conversation.ask("SUBSCRIBE session:here view:elsewhere").isError)
    }

    @Test func `SUBSCRIBE to several slots is refused with TRYAGAIN while one of them is in transfer`() throws {
        nodes.inTransfer = ["moving"]
        _ = try conversation.ask("HELLO 3")
        for line in ["SUBSCRIBE session:here session:moving", "SUBSCRIBE session:moving session:here"] {
            #expect(try code(line) == "TRYAGAIN")
        }
        nodes.inTransfer = []
        #expect(try !conversation.ask("SUBSCRIBE session:here session:moving").isError)
    }

    @Test func `A transaction with a session of another node or slot is aborted`() throws {
        try transcript("> MULTI\n< +OK\n> SEND here pass\n< +QUEUED", with: conversation)
        #expect(try code("SEND there pass") == "MOVED")
        #expect(try code("EXEC") == "EXECABORT")
        try transcript("> MULTI\n< +OK\n> SEND here pass\n< +QUEUED", with: conversation)
        #expect(try code("SEND hall pass") == "CROSSSLOT")
        #expect(try code("EXEC") == "EXECABORT")
        try transcript("> SEND here pass\n< +second", with: conversation)
    }

    @Test func `EXEC is refused with MOVED if a queued session has moved to another node`() throws {
        try transcript("> MULTI\n< +OK\n> SEND here pass\n< +QUEUED\n> STATE {here}:x\n< +QUEUED", with: conversation)
        nodes.elsewhere = ["here"]
        try transcript("> EXEC\n< -MOVED \(HashSlot.of("here")) other:7001", with: conversation)
        nodes.elsewhere = []
        try transcript("> EXEC\n< -ERR EXEC without MULTI\n> SEND here pass\n< +second", with: conversation)
    }

    @Test func `A subscriber is unsubscribed when its session moves to another node`() throws {
        let lines = ["SUBSCRIBE session:here", "SSUBSCRIBE session:{here}", "SUBSCRIBE session:stays"]
        for line in ["HELLO 3"] + lines { _ = try conversation.ask(line) }
        conversation.host.subscriptions.cancelAll { $0 != HashSlot.of("here") }
        try transcript(
            """
            > PING
            < >3
            < $11
            < unsubscribe
            < $12
            < session:here
            < :1
            < >3
            < $12
            < sunsubscribe
            < $14
            < session:{here}
            < :0
            < +PONG
            """, with: conversation)
    }

    @Test func `A subscriber of views by pattern is notified of sessions that left or arrived`() throws {
        let host = conversation.host
        _ = try conversation.ask("HELLO 3")
        _ = try conversation.ask("PSUBSCRIBE view:*")
        host.subscriptions.endTurn()
        _ = try conversation.ask("PING")
        let (gone, come) = (try #require(host.sessions.find("here")), try #require(host.sessions.find("there")))
        host.sessions.evict(gone.slot)
        host.sessions.notifyObserversOfArrival(come.slot)
        host.subscriptions.endTurn()
        let told = String(decoding: try conversation.send(line: "PING"), as: UTF8.self)
        #expect(told.contains("view:here\r\n$4\r\nnull\r\n"), "\(told)")
        #expect(told.contains("view:there\r\n") && told.contains("\"session\":\"there\""), "\(told)")
    }

    @Test func `CLUSTER SLOTS, NODES and INFO reply in the format of Redis`() throws {
        let (mine, others) = (String(repeating: "a", count: 40), String(repeating: "b", count: 40))
        try transcript(
            """
            > CLUSTER SLOTS
            < *2
            < *3
            < :0
            < :8191
            < *4
            < $4
            < this
            < :7000
            < $40
            < \(mine)
            < *0
            < *3
            < :8192
            < :16383
            < *4
            < $5
            < other
            < :7001
            < $40
            < \(others)
            < *0
            """, with: conversation)
        let lines = try #require(conversation.ask("CLUSTER NODES").text).split(separator: "\n")
        #expect(
            lines == [
                "\(mine) this:7000@0 myself,master - 0 0 1 connected 0-8191",
                "\(others) other:7001@0 master,fail? - 0 0 2 disconnected 8192-16383",
            ])
        #expect(try conversation.ask("CLUSTER INFO").text?.contains("cluster_slots_pfail:8192\r\n") == true)
        #expect(try conversation.ask("INFO cluster").text?.contains("cluster_enabled:1\r\n") == true)
        for line in ["READONLY", "READWRITE", "ASKING"] { try transcript("> \(line)\n< +OK", with: conversation) }
    }

    @Test func `CLUSTER SLOTS and SHARDS omit a node without a TCP listener`() throws {
        nodes.otherPort = 0
        let others = String(repeating: "b", count: 40)
        #expect(try conversation.ask("CLUSTER SLOTS").list.count == 1)
        #expect(try conversation.ask("CLUSTER SHARDS").list.count == 1)
        let lines = try #require(conversation.ask("CLUSTER NODES").text).split(separator: "\n")
        #expect(lines.last == "\(others) :0@0 master,noaddr,fail? - 0 0 2 disconnected 8192-16383")
    }
}

@Suite struct `Commands about clusters` {
    @Test func `A daemon without a cluster refuses cluster commands except CLUSTER KEYSLOT`() throws {
        for line in ["CLUSTER SLOTS", "CLUSTER INFO", "CLUSTER COUNTKEYSINSLOT 1", "READONLY", "ASKING"] {
            try transcript("> \(line)\n< -ERR This instance has cluster support disabled", with: Conversation())
        }
        try transcript(
            """
            > CLUSTER KEYSLOT {room-7}:left
            < :\(HashSlot.of("room-7"))
            > CLUSTER NOSUCH
            < -ERR unknown subcommand 'NOSUCH'; usage: \(Command.cluster.syntax)
            > CLUSTER KEYSLOT
            < -ERR wrong number of arguments for 'CLUSTER KEYSLOT'; usage: \(Command.cluster.syntax)
            """, with: Conversation())
        #expect(try Conversation().ask("INFO").text?.contains("cluster_enabled:0\r\n") == true)
    }

    @Test func `COMMAND GETKEYS returns the session arguments of a command`() throws {
        try transcript(
            """
            > COMMAND GETKEYS SEND room pass 3
            < *1
            < $4
            < room
            > COMMAND GETKEYS WATCH a b
            < *2
            < $1
            < a
            < $1
            < b
            > COMMAND GETKEYS PING
            < -ERR The command has no key arguments
            > COMMAND GETKEYS SEND
            < -ERR Invalid number of arguments specified for command
            > COMMAND GETKEYS NOSUCH a
            < -ERR Invalid command specified
            """, with: Conversation())
    }

    @Test func `A command's keys are sessions exactly if its syntax begins with a session`() {
        for command in CommandTable.all.commands {
            let isFirst = command.syntax.split(separator: " ").dropFirst().first == "session"
            #expect(command.keys.areSessions == isFirst, "\(command.name)")
        }
    }

    @Test(
        arguments: [
            ("session:{room-7}", "room-7"), ("view:{room-7}", "room-7"), ("session:{room-7}:left", "{room-7}:left"),
            ("session:a{b}c", "a{b}c"), ("session:{a{b}", "a{b"), ("session:room-7", nil), ("session:{}", nil),
            ("{room-7}", nil),
            ("session:{a}b}", "{a}b}"),
        ] as [(String, String?)])
    func `A sharded channel has the slot of its session`(name: String, session: String?) {
        let channel = SessionChannel(sharded: ByteString(name))
        #expect(channel?.session.text == session)
        if let channel {
            #expect(channel.slot == HashSlot.of(name))
            #expect(SessionChannel.sharded(channel.subject, channel.session) == ByteString(name))
        }
    }

    @Test(arguments: ["{room-7}", "a}b", "a{}b", ""])
    func `A session name whose braces would change the slot has no sharded channel`(name: String) {
        #expect(SessionChannel.sharded(.views, ByteString(name)) == nil)
    }

    @Test func `A sharded channel delivers its session's history entries, also without a cluster`() throws {
        let conversation = Conversation()
        for line in ["HELLO 3", "NEW room turns", "SSUBSCRIBE session:{room}"] { _ = try conversation.ask(line) }
        let told = String(decoding: try conversation.send(line: "SEND room pass"), as: UTF8.self)
        #expect(told.contains(">3\r\n$8\r\nsmessage\r\n$14\r\nsession:{room}\r\n"), "\(told)")
        let ended = String(decoding: try conversation.send(line: "SUNSUBSCRIBE"), as: UTF8.self)
        #expect(ended == ">3\r\n$12\r\nsunsubscribe\r\n$14\r\nsession:{room}\r\n:0\r\n", "\(ended)")
        #expect(String(decoding: try conversation.send(line: "SEND room pass"), as: UTF8.self) == "+first\r\n")
        #expect(try conversation.ask("SSUBSCRIBE session:room").isError)
    }
}
