// Changes to a file of tokens.

import Commands
import Glibc
import Posix
import TLS
import Client
import Texts

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
        switch try read()?.contents {
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
                switch try read() {
                case (_, .secret(let secret))?: [Self.head, secret.description]
                case (let text, .lines)?: Self.lines(of: text)
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
            guard case (let text, .lines)? = try read() else { return [Self.head] }
            return Self.lines(of: text).filter {
                $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).first.map(String.init) != name
            }
        }
    }

    /// Its text and the tokens in it; nil if the file is missing. One with mistakes is not written to.
    private func read() throws(ControlError) -> (text: String, contents: TokenFile.Contents)? {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return nil }
        let text: String
        do throws(FileError) { text = try TokenFile.text(path) } catch { throw .file(error) }
        do throws(AccessError) { return (text, try TokenFile.parse(text, path)) } catch { throw .badFile(error.description) }
    }

    private static func lines(of text: String) -> [String] {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
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
