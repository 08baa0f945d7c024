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
        scope = try options["--sessions"].map(SessionScope.init)
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

/// Changes a token file, and leaves unchanged parts as they are written.
struct TokenFileEditor {
    let path: String
    private static let head =
        "# gamed's tokens: NAME ROLE [sessions=PATTERN,…] [quota-sessions=N] [rate=N/s] sha256=DIGITS [# comment]"

    /// The path is that of `--file`; nil without it.
    init(at given: String?) throws(ControlError) {
        guard let path = given ?? environmentVariable("GAMED_TOKEN_FILE") else {
            throw .usage("the token file is missing: give the one of the daemon's --token-file with --file FILE")
        }
        // A link stays: the daemon may read the file that it leads to.
        self.path =
            realpath(path, nil).map { resolved in
                defer { free(resolved) }
                return String(cString: resolved)
            } ?? path
        // Root manages the file of a daemon of another user, and leaves it to that user.
        SecretOwner.trustOwner(of: self.path)
    }

    func lines() throws(ControlError) -> [TokenLine] {
        switch try contents() {
        case .secret(let line): [line]
        case .lines(let lines): lines
        case nil: throw .file(FileError("read", path, reason: "there is no such file"))
        }
    }

    /// Adds a token, unless `show` throws: without its secret, a token is of no use. `show` runs once the new file is written and synced, so that
    /// no secret is printed that is not stored.
    func add(_ line: TokenLine, show: () throws(ControlError) -> Void) throws(ControlError) {
        try replace(after: show) { () throws(ControlError) in
            let written =
                switch try contents() {
                case .secret(let secret): [Self.head, secret.description]
                case .lines: try text()
                case nil: [Self.head]
                }
            return written + [line.description]
        }
    }

    func remove(_ name: String) throws(ControlError) {
        try replace { () throws(ControlError) in
            guard try lines().contains(where: { $0.id == name }) else {
                throw .usage("there is no token '\(name.shortened)' in \(path)")
            }
            if case .secret = try contents() { return [Self.head] }
            return try text().filter { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).first.map(String.init) != name }
        }
    }

    /// Nil if the file is missing; one with mistakes is not written to.
    private func contents() throws(ControlError) -> TokenFile.Contents? {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return nil }
        let text: String
        do throws(FileError) { text = try TokenFile.text(path) } catch { throw .file(error) }
        do throws(AccessError) { return try TokenFile.parse(text, path) } catch { throw .badFile(error.description) }
    }

    private func text() throws(ControlError) -> [String] {
        do throws(FileError) {
            let text = try SmallFile(path, atMost: TokenFile.maxBytes).text() ?? ""
            var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
            while lines.last?.isEmpty == true { lines.removeLast() }
            return lines
        } catch {
            throw .file(error)
        }
    }

    /// Holds a lock from reading to replacing, also while `show` prints: two at once would take back each other's change, and share one draft.
    private func replace(
        after show: () throws(ControlError) -> Void = { () throws(ControlError) in },
        with lines: () throws(ControlError) -> [String]
    ) throws(ControlError) {
        let lock: FolderLock
        do throws(FileError) { lock = try FolderLock(of: path) } catch { throw .file(error) }
        do throws(ControlError) {
            try write(try checkedText(try lines()), after: show)
        } catch {
            lock.release()
            throw error
        }
        lock.release()
    }

    private func checkedText(_ lines: [String]) throws(ControlError) -> String {
        let text = lines.map { $0 + "\n" }.joined()
        do throws(AccessError) {
            let parsed = try TokenFile.parse(text, path)
            if case .secret = parsed { throw AccessError("\(path) would hold one secret alone") }
        } catch {
            throw .usage(error.description)
        }
        return text
    }

    private func write(_ text: String, after show: () throws(ControlError) -> Void) throws(ControlError) {
        let draft: FileDraft
        do throws(FileError) { draft = try SmallFile(path).draft(of: text, keepingOwner: true) } catch { throw .file(error) }
        try show()
        do throws(FileError) { try draft.replaceFile() } catch { throw .file(error) }
    }
}
