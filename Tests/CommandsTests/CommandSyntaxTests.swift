// The documented syntax of each command. The table is written out here, as users and redis-cli see it.

import GameFlow
import Memory
import RESP
import Testing
import Timers
@testable import Commands

@Suite struct `The syntax of commands` {
    private static let documented = """
        ACL WHOAMI
        ADVANCE duration
        ASKING
        AUTH [user] token
        BACKUP [path]
        BLUETOOTH LIST|CONNECT device|DISCONNECT device|NOTIFY device [handle] [value]|ADVERTISE device [value]
        CLIENT ID|GETNAME|SETNAME name|SETINFO attribute value|INFO|LIST|SOURCE ui|network|orchestrator|NO-EVICT on|NO-TOUCH on
        CLOCK
        CLUSTER SLOTS|SHARDS|NODES|INFO|STATUS|MYID|KEYSLOT session|COUNTKEYSINSLOT slot|GETKEYSINSLOT slot count|HELP
        COMMAND [COUNT|LIST|INFO [name …]|DOCS [name …]|GETKEYS [word …]]
        CONFIG GET pattern [pattern …]|SET name value [name value …]|RESETSTAT|SHOW [pattern …]
        DESCRIBE flow
        DIAGRAM flow [DOT|MERMAID|SVG]
        DISCARD
        DROP session
        ECHO message
        EVENTS session [FULL]
        EXEC
        EXTEND session timer duration
        FLOWS
        FORCE session state [json]
        HELLO [2|3 [AUTH user token] [SETNAME name]]
        HISTORY session [COUNT n]
        INFO [section …]
        MULTI
        NEW session flow [json]
        NEXT [COUNT n]
        PAGE
        PAUSE session [timer]
        PING [message]
        PSUBSCRIBE session:GLOB|view:GLOB [session:GLOB|view:GLOB …] [SINCE position]
        PUNSUBSCRIBE [session:GLOB …]
        QUIT
        READONLY
        READWRITE
        RELOAD [DRY] [FULL]
        RESET
        RESTART session [json]
        RESUME session [timer]
        RETRY session
        SELECT 0
        SEND session event [payload] [IF version] [ID id]
        SESSIONS [cursor] [MATCH glob] [FLOW f] [STATE s] [COUNT n]
        SSUBSCRIBE session:{NAME}|view:{NAME} [session:{NAME}|view:{NAME} …] [SINCE life:seq]
        STATE session
        SUBSCRIBE session:NAME|view:NAME [session:NAME|view:NAME …] [SINCE life:seq]
        SUNSUBSCRIBE [session:{NAME} …]
        TIMERS session
        UNDROP session
        UNSUBSCRIBE [session:NAME …]
        UNWATCH
        VIEW session
        WATCH session [session …]
        WITHDRAW session id
        """

    @Test func `The syntax of every command is as documented`() {
        let documented = Self.documented.split(separator: "\n").map(String.init)
        #expect(CommandTable.all.commands.map(\.syntax) == documented)
    }

    @Test func `A command's syntax determines the number of words it accepts`() throws {
        let counts: [(String, ClosedRange<Int>)] = [
            ("SEND", 3...8), ("SESSIONS", 1...10), ("HISTORY", 2...4), ("EVENTS", 2...3), ("CLOCK", 1...1), ("AUTH", 2...3),
            ("CONFIG", 2...128), ("BLUETOOTH", 2...5), ("CLIENT", 2...4), ("HELLO", 1...7), ("BACKUP", 1...2),
            ("CLUSTER", 2...4),
        ]
        for (name, count) in counts { #expect(try #require(CommandTable.all[name]).words == count, "\(name)") }
    }

    @Test func `An argument's syntax shows its keyword, its alternatives and its repetition`() {
        let login = CommandArgument.keyword("AUTH", [CommandArgument("user"), CommandArgument("token")])
        #expect(login.kind == .block([CommandArgument("user"), CommandArgument("token")]) && login.syntax == "AUTH user token")
        #expect(CommandArgument.keyword("COUNT", [CommandArgument("n")], isOptional: true).syntax == "[COUNT n]")
        #expect(CommandArgument.choice(["DOT", "SVG"], isOptional: true).syntax == "[DOT|SVG]")
        #expect(CommandArgument("name", isRepeated: true).syntax == "name [name …]")
        #expect(CommandArgument("name", isOptional: true, isRepeated: true).syntax == "[name …]")
    }

    @Test(arguments: [
        ("SEND room go", "session=room event=go"), ("SEND room go 3 IF 17", "session=room event=go payload=3 version=17"),
        ("send room go id 7 if 17", "session=room event=go id=7 version=17"), ("SEND room IF", "session=room event=IF"),
        ("WATCH a b c", "session=a session=b session=c"), ("DIAGRAM game SVG", "flow=game"),
        ("CLUSTER KEYSLOT room", "session=room"), ("CONFIG SET log debug", "name=log value=debug"),
        ("SESSIONS 0 STATE s FLOW f", "cursor=0 s=s f=f"), ("EVENTS room FULL more", "session=room"),
    ])
    func `Each word of a command is the value of its argument, or a literal`(line: String, values: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let arguments = try #require(CommandTable.all[words[0]]).arguments
        let found = ArgumentPlaces(of: arguments, in: Array(words.dropFirst())).values
        #expect(found.map { "\($1.name)=\($0)" }.joined(separator: " ") == values)
    }

    @Test(arguments: [
        ("SEND room go 3 IF 17", nil), ("EVENTS room FULL", nil), ("RELOAD DRY FULL", nil), ("NEXT", nil),
        ("SEND room go 3 more", "'more' does not fit there"), ("EVENTS room FUL", "'FUL' does not fit there"),
        ("EVENTS room FULL more", "'more' does not fit there"), ("HISTORY room COUNT", "something is missing at the end"),
        ("HISTORY room COUNT 0", "'0' is not a whole number from 1 on"),
        ("NEXT COUNT x", "'x' is not a whole number from 1 on"),
    ])
    func `The first word that does not fit a command is found`(line: String, problem: String?) throws {
        let words = line.split(separator: " ").map(String.init)
        let arguments = try #require(CommandTable.all[words[0]]).arguments
        #expect(ArgumentPlaces(of: arguments, in: Array(words.dropFirst())).problem == problem)
    }
}

@Suite struct `Numbers in commands` {
    @Test func `A negative cursor is refused, and so is a count of zero, which the error quotes`() throws {
        let conversation = Conversation()
        #expect(try conversation.ask("SESSIONS -1").code == .generic)
        _ = try conversation.ask("NEW room turns")
        #expect(
            try conversation.ask("HISTORY room COUNT 0").reply
                == .error(
                    code: .generic, text: "'0' is not a positive whole number; usage: HISTORY session [COUNT n]"))
    }
}

/// A client that parses words without executing them.
private struct RequestReader {
    let host: Host
    private let client: Client

    init() {
        host = Host(on: Timekeeper(VirtualClock()), flows: [], commands: .all)
        client = Client(id: 0, from: .ui, of: host)
    }

    /// Returns the request that `read` parses from the words, or its error; nil if there is no request.
    func read<Value>(_ words: [String], _ read: (Call) throws(CommandError) -> Value) -> Result<Value, CommandError>? {
        var request = StoredRequests()
        request.append(words)
        var result: Result<Value, CommandError>?
        request.forEach { request in
            result = Result { () throws(CommandError) in
                try client.call.begin(request)
                return try read(client.call)
            }
        }
        return result
    }
}

@Suite struct `Typed requests` {
    /// Returns the fields of a SEND request, or the text of its error.
    private static func text(_ result: Result<SendRequest, CommandError>?) -> String {
        switch result {
        case .success(let send):
            var payload: [UInt8]?
            send.payload.withBytes { payload = Array($0) }
            return
                "\(send.name.repairedText) \(send.event.repairedText) \(payload as Any) \(send.condition as Any) \(send.id?.repairedText as Any)"
        case .failure(let error): return error.description
        case nil: return "nothing"
        }
    }

    @Test func `SEND reads the same request on the quick path and by its list of parameters`() throws {
        let reader = RequestReader()
        var generator = SystemRandomNumberGenerator()
        let words = ["", "room", "go", "3", "IF", "if", "ID", "17", "3:17", "{\"a\":1}", "é", "x y"]
        for _ in 0..<2_000 {
            let line =
                ["SEND"]
                + (0..<Int.random(in: 2...3, using: &generator)).map { _ in words.randomElement(using: &generator) ?? "" }
            var (quick, slow) = ("", "")
            _ = reader.read(line) { (call) throws(CommandError) in
                quick = Self.text(.success(SendRequest(usual: call.arguments)))
                slow = Self.text(Result { () throws(CommandError) in try SendRequest.form.read(call) })
            }
            #expect(quick == slow, "\(line)")
        }
    }

    @Test(arguments: [
        ("SESSIONS", 0, 10), ("SESSIONS 7", 7, 10), ("SESSIONS COUNT 3", 0, 3), ("SESSIONS 7 count 3", 7, 3),
        ("SESSIONS 7 FLOW f STATE s COUNT 200000", 7, 100_000), ("SESSIONS STATE s FLOW f", 0, 10),
    ])
    func `A request reads optional arguments before keywords in any order`(line: String, cursor: Int, count: Int) throws {
        let request = try #require(RequestReader().read(line.split(separator: " ").map(String.init), SessionsRequest.form.read))
            .get()
        #expect(request.cursor == cursor && request.count == count)
        #expect(request.flow == (line.contains("FLOW") ? "f" : nil) && request.state == (line.contains("STATE") ? "s" : nil))
    }

    @Test(arguments: [
        "SESSIONS x", "SESSIONS 1 2", "SESSIONS 0 COUNT", "SESSIONS COUNT 0", "SESSIONS COUNT 1 COUNT 2", "SESSIONS 0 NAME x",
    ])
    func `A request with invalid words is refused with the usage`(line: String) throws {
        let result = RequestReader().read(line.split(separator: " ").map(String.init), SessionsRequest.form.read)
        guard case .failure(let error) = result else { return #expect(Bool(false), "\(line) was read") }
        #expect(error.sentence.hasSuffix("usage: \(Command.sessions.syntax)"), "\(error)")
    }

    @Test(arguments: [
        ("HELLO 3", "3 nil nil"), ("HELLO 2 SETNAME screen", "2 nil screen"), ("HELLO 3 AUTH ann x", "3 ann:x nil"),
        ("HELLO 3 setname AUTH auth SETNAME x", "3 SETNAME:x AUTH"), ("HELLO 3 AUTH SETNAME x", "3 SETNAME:x nil"),
    ])
    func `HELLO reads its clauses in any order`(line: String, expected: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let hello = try #require(RequestReader().read(words, HelloRequest.form.read)).get()
        let login = hello.login.map { "\($0.user ?? ""):\($0.token)" }
        #expect("\(hello.version.rawValue) \(login ?? "nil") \(hello.name?.text ?? "nil")" == expected)
    }

    @Test(arguments: ["HELLO 3 AUTH", "HELLO 3 AUTH ann", "HELLO 3 SETNAME", "HELLO 3 NAME x", "HELLO 3 SETNAME a SETNAME b"])
    func `HELLO with an incomplete, unknown or repeated clause is refused with the usage`(line: String) throws {
        let result = RequestReader().read(line.split(separator: " ").map(String.init), HelloRequest.form.read)
        guard case .failure(let error) = result else { return #expect(Bool(false), "\(line) was read") }
        #expect(error.sentence.hasSuffix("usage: \(Command.hello.syntax)"), "\(error)")
    }

    @Test func `CONFIG SET reads pairs of words, and one pair of JSON members`() throws {
        let reader = RequestReader()
        let words = try #require(reader.read(["CONFIG", "SET", "ids", "3", "log", "debug"], SetConfigRequest.form.read)).get()
        #expect(words.settings.map { "\($0) \($1)" } == ["ids 3", "log debug"])
        let json = try SetConfigRequest.form.read(["name": "ids", "value": 3], within: reader.host.limits)
        #expect(json.settings.map { "\($0) \($1)" } == ["ids 3"])
        guard case .failure(let error) = reader.read(["CONFIG", "SET", "ids", "3", "log"], SetConfigRequest.form.read) else {
            return #expect(Bool(false), "a name without a value was read")
        }
        #expect(error.sentence.hasSuffix(Command.config.syntax), "\(error)")
    }

    @Test func `NEW and RESTART read a session's parameters from the members of a JSON object`() throws {
        let reader = RequestReader()
        let limits = reader.host.limits
        let beginning: JSON = ["context": ["minutes": 45], "state": "lobby"]
        let words = try #require(reader.read(["NEW", "room", "game", beginning.description], NewRequest.form.read)).get()
        let json = try NewRequest.form.read(
            ["name": "room", "flow": "game", "context": ["minutes": 45], "state": "lobby", "data": .null], within: limits)
        #expect(words.name == json.name && words.flow == json.flow && words.beginning == json.beginning)
        #expect(json.beginning == beginning)
        #expect(try RestartRequest.form.read(["session": "room", "context": .null], within: limits).beginning == nil)
    }

    @Test func `A request read from JSON equals the one read from words`() throws {
        let reader = RequestReader()
        let limits = reader.host.limits
        let words = try #require(reader.read(["EXTEND", "room", "lobby", "-10s"], ExtendRequest.form.read)).get()
        let json = try ExtendRequest.form.read(["session": "room", "timer": "lobby", "by": "-10s"], within: limits)
        #expect(words.name == json.name && words.timer == json.timer && words.duration == json.duration)
        let forced = try #require(reader.read(["FORCE", "room", "a", #"{"n":1}"#], ForceRequest.form.read)).get()
        let alike = try ForceRequest.form.read(["session": "room", "state": "a", "data": ["n": 1]], within: limits)
        #expect(forced.name == alike.name && forced.state == alike.state && forced.data == alike.data && alike.data != nil)
    }

    @Test func `A request read from JSON has the same limits as one read from words`() throws {
        let reader = RequestReader()
        reader.host.limits.payloadBytes = 16
        let limits = reader.host.limits
        let error = #expect(throws: CommandError.self) {
            try ForceRequest.form.read(["session": "a", "state": "b", "data": "12345678901234567890"], within: limits)
        }
        #expect(error?.code == .limit)
    }

    @Test func `A pattern read from JSON has the same limit as one read from words`() throws {
        let limits = RequestReader().host.limits
        let long = String(repeating: "*", count: 100_000)
        for read: () throws -> Void in [
            { _ = try SessionsRequest.form.read(["match": .string(long)], within: limits) },
            { _ = try GetConfigRequest(matching: long) },
        ] {
            #expect(try #require(throws: CommandError.self, performing: read).code == .limit)
        }
    }

    @Test(arguments: [[""], ["", ""], ["PING", ""], ["ECHO", ""]]) func `A request with empty words gets one reply`(
        words: [String]
    ) throws {
        let host = RequestReader().host
        #expect(LocalClient(of: host).run(words).count == 1)
    }
}
