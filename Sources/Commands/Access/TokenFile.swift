// The file of the tokens: a secret alone, or a line for each token.

import Posix
import Texts

package struct TokenFile {
    /// Contents of the file.
    package enum Contents: Sendable {
        /// Its first line is the secret; only comments follow.
        case secret(TokenLine)
        case lines([TokenLine])

        package var table: TokenTable {
            switch self {
            case .secret(let line): TokenTable([line])
            case .lines(let lines): TokenTable(lines)
            }
        }
    }

    package static let maxBytes = 4 << 20
    package static let maxTokens = 10_000
    private static let maxMistakes = 100

    /// The contents of a file that only its owner and group can read.
    package static func read(_ path: String) throws(AccessError) -> Contents {
        let text: String
        do throws(FileError) { text = try self.text(path) } catch {
            let advice = "; 'gamectl token new NAME --role master --file \(path.shellWord)' makes one"
            throw AccessError(error.description + (error.isMissing ? advice : ""))
        }
        return try parse(text, path)
    }

    /// The same as text.
    package static func text(_ path: String) throws(FileError) -> String {
        let bytes = try PlainFile.bytes(path, "token file", atMost: maxBytes)
        return String(decoding: bytes.withoutByteOrderMark, as: UTF8.self)
    }

    /// The error lists all mistakes, a line each.
    package static func parse(_ text: String, _ path: String) throws(AccessError) -> Contents {
        // A file without tokens has a comment at least: one that was emptied may be a mistake.
        guard !text.allSatisfy(\.isWhitespace) else {
            throw AccessError(
                "the token file \(path) is empty; to revoke all tokens, leave only a comment in it: echo '# no tokens' > \(path)"
            )
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let first = lines.first ?? ""
        if isSecret(first, among: lines) {
            return .secret(try parseSecret(first, among: lines, path))
        }
        return .lines(try parseTokens(lines, path))
    }

    private static func parseSecret(_ first: Substring, among lines: [Substring], _ path: String) throws(AccessError)
        -> TokenLine
    {
        let line = try TokenLine(secret: String(first), from: "in \(path)")
        if let other = lines.dropFirst().firstIndex(where: { !isBlankOrComment($0) }) {
            throw AccessError(
                "\(path):\(other + 1): error: nothing may follow a secret that stands alone in the first line; "
                    + "'gamectl token new' makes a line for each token")
        }
        return line
    }

    private static func parseTokens(_ lines: [Substring], _ path: String) throws(AccessError) -> [TokenLine] {
        var (found, names, mistakes): ([TokenLine], Set<String>, [String]) = ([], [], [])
        for (index, line) in lines.enumerated() where !isBlankOrComment(line) {
            do throws(AccessError) {
                let token = try TokenLine(parsing: line)
                guard names.insert(token.id).inserted else {
                    throw AccessError("two tokens are named '\(token.id)'; give each its own name")
                }
                found.append(token)
            } catch {
                if mistakes.count < maxMistakes { mistakes.append("\(path):\(index + 1): error: \(error)") }
            }
        }
        if found.count > maxTokens {
            mistakes.append("\(path): error: there are \(found.count) tokens; at most \(maxTokens) are allowed")
        }
        guard mistakes.isEmpty else { throw AccessError(mistakes.joined(separator: "\n")) }
        return found
    }

    /// A first line of one word, and no comment above other lines.
    private static func isSecret(_ first: Substring, among lines: [Substring]) -> Bool {
        let isWord = !first.contains { $0 == " " || $0 == "\t" }
        guard first.hasPrefix("#") || first.isEmpty else { return isWord }
        return isWord && lines.dropFirst().allSatisfy(isBlankOrComment) && (first.isEmpty || lines.count <= 2)
    }

    private static func isBlankOrComment(_ line: Substring) -> Bool {
        line.drop { $0 == " " || $0 == "\t" }.first.map { $0 == "#" } ?? true
    }
}
