// `gamectl token`: makes, lists and revokes the tokens of a file. It needs no daemon.

import Commands
import TLS
import Client
import GameFlow
import Glibc
import Posix
import Texts

extension Subcommand {
    static let token = Subcommand(
        .offline, syntax: "token new|list|revoke [NAME]",
        summary: "Creates, lists and revokes tokens for TCP and HTTP clients.",
        details: """
            'new' appends a token to the file, and prints it once: the file has only its SHA-256. A token has a role: read \
            has read access, play also sends events, orchestrator may also send events as an orchestrator, and master has \
            full access (with all sessions: to the daemon too). --sessions limits it to some sessions: names, or prefixes \
            that end with a star, separated by commas. The daemon reads the file of its option --token-file; 'gamectl \
            reload' reloads it. A file that holds one secret alone becomes a file of tokens, and the secret stays valid, \
            under the name 'token'.
            """,
        examples: [
            "gamectl token new alice --role master --file /etc/gamed/tokens",
            "gamectl token new room7 --role master --sessions 'room-7-*' --quota 10 --rate 50 --file tokens",
            "gamectl token list --file tokens", "gamectl token revoke room7 --file tokens",
        ],
        options: [
            Option("--file", "FILE", "the token file ($GAMED_TOKEN_FILE)"),
            Option("--role", "ROLE", "\(Role.given.map(\.rawValue).joined(separator: ", "))", .of(action: "new")),
            Option("--sessions", "PATTERN,…", "only these sessions: names, or prefixes such as room-7-*", .of(action: "new")),
            Option("--quota", "N", "maximum number of existing sessions that it has created", .of(action: "new")),
            Option("--rate", "N", "maximum number of changes a second", .of(action: "new")),
            Option("--comment", "TEXT", "what it is for", .of(action: "new")),
        ], words: 1...2
    ) { context, call throws(ControlError) in
        let file = try TokenFileEditor(at: call.options["--file"])
        switch (call.words[0], call.words.count) {
        case ("new", 2): try context.makeToken(call.words[1], in: file, call)
        case ("list", 1): try context.listTokens(in: file)
        case ("revoke", 2): try context.revokeToken(call.words[1], in: file)
        case ("new", _), ("revoke", _):
            throw .usage("a token's name is missing: gamectl token \(call.words[0]) NAME --file FILE")
        default:
            throw .usage(
                "'gamectl token' takes new NAME, list or revoke NAME, not '\(call.words.joined(separator: " ").shortened)'")
        }
        return .accepted
    }
}

extension CommandContext {
    fileprivate func makeToken(_ name: String, in file: TokenFileEditor, _ call: Invocation) throws(ControlError) {
        guard let role = call.options["--role"] else {
            throw .usage("--role is missing: \(Role.given.map(\.rawValue).joined(separator: ", "))")
        }
        let secret = randomSecret()
        let line: TokenLine
        do throws(AccessError) {
            line = try TokenLine(name, role, secret, call.options)
        } catch {
            throw .usage(error.description)
        }
        // Other commands wait for the lock that is held while the secret is printed. A full pipe must not block them.
        StandardStream.output.waitForRoom()
        try file.add(line) { () throws(ControlError) in try show(name, "\(name).\(secret)") }
        if output.isTerminal, !output.isJSON {
            output.remark("this is shown once; the daemon accepts it after 'gamectl reload', if \(file.path) is its token file")
        }
    }

    /// A pipe without a reader is an error here, and does not end the process: the draft of the file must be removed.
    private func show(_ name: String, _ token: String) throws(ControlError) {
        let action = signal(SIGPIPE, SIG_IGN)
        defer { signal(SIGPIPE, action) }
        try output.write(json: ["name": .string(name), "token": .string(token)], lines: [token])
    }

    fileprivate func listTokens(in file: TokenFileEditor) throws(ControlError) {
        let lines = try file.lines()
        let rows = lines.map { line in
            [
                line.id, line.role.rawValue, line.scope?.description ?? "all", line.quota.sessions.map(String.init) ?? "",
                line.quota.rate.map { "\($0)/s" } ?? "", line.comment ?? "",
            ].map(\.printable)
        }
        let head = ["TOKEN", "ROLE", "SESSIONS", "QUOTA", "RATE", "COMMENT"]
        try output.write(
            json: .array(lines.map(\.json)), lines: ReplyText(style: output.style).table(head, rows),
            absence: "there are no tokens in \(file.path)")
    }

    fileprivate func revokeToken(_ name: String, in file: TokenFileEditor) throws(ControlError) {
        try file.remove(name)
        try output.write(json: ["revoked": .string(name)], lines: [])
        if output.isTerminal, !output.isJSON { output.remark("the daemon still accepts it until 'gamectl reload'") }
    }
}

extension TokenLine {
    fileprivate init(_ name: String, _ role: String, _ secret: String, _ options: [String: String]) throws(AccessError) {
        try self.init(id: name, role: Role(named: role, of: "the token '\(name.shortened)'"), secret: secret)
        scope = try options["--sessions"].flatMap(SessionScope.restricting)
        quota.sessions = try options["--quota"].map(Quota.sessions)
        quota.rate = try options["--rate"].map(Quota.rate)
        comment = options["--comment"]?.printable
    }

    fileprivate var json: JSON {
        [
            "name": .string(id), "role": .string(role.rawValue), "sessions": scope.map { .string($0.description) } ?? .null,
            "quota": quota.sessions.map { .integer($0) } ?? .null, "rate": quota.rate.map { .integer($0) } ?? .null,
            "comment": comment.map { .string($0) } ?? .null,
        ]
    }
}
