// The file of the tokens: a secret alone, or a line for each token.

import TLS
import Glibc
import Posix

package struct TokenFile {
    /// Contents of the file.
    package enum Contents: Sendable {
        /// Its first line is the secret; what follows is ignored.
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

    /// A file that only its owner and group can read.
    package static func read(_ path: String) throws(AccessError) -> Contents { try parse(try text(of: path), path) }

    /// All mistakes are told, a line each.
    package static func parse(_ text: String, _ path: String) throws(AccessError) -> Contents {
        // A file without tokens has a comment at least: one that was emptied may be a mistake.
        guard !text.allSatisfy(\.isWhitespace) else {
            throw AccessError(
                "the token file \(path) is empty; to revoke all tokens, leave only a comment in it: echo '# no tokens' > \(path)"
            )
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let first = lines.first ?? ""
        if isSecret(first, among: lines) { return .secret(try TokenLine(secret: String(first), from: "in \(path)")) }
        var (found, names, mistakes): ([TokenLine], Set<String>, [String]) = ([], [], [])
        for (index, line) in lines.enumerated() where !isSilent(line) {
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
        return .lines(found)
    }

    /// A first line of one word, and no comment above other lines.
    private static func isSecret(_ first: Substring, among lines: [Substring]) -> Bool {
        let isWord = !first.contains { $0 == " " || $0 == "\t" }
        guard first.hasPrefix("#") || first.isEmpty else { return isWord }
        return isWord && lines.dropFirst().allSatisfy(isSilent) && (first.isEmpty || lines.count <= 2)
    }

    private static func isSilent(_ line: Substring) -> Bool {
        line.drop { $0 == " " || $0 == "\t" }.first.map { $0 == "#" } ?? true
    }

    // MARK: The file

    private static func text(of path: String) throws(AccessError) -> String {
        // Opening a pipe or a device could block.
        guard let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) else {
            throw AccessError("cannot read the token file \(path): \(systemErrorText(errno))")
        }
        try check(file, path)
        var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 16 << 10))
        while bytes.count <= maxBytes {
            let count = Glibc.read(file.number, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw AccessError("cannot read the token file \(path): \(systemErrorText(errno))")
            }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += part[..<count]
        }
        throw AccessError("the token file \(path) has more than \(maxBytes >> 20) MB")
    }

    private static func check(_ file: borrowing Descriptor, _ path: String) throws(AccessError) {
        var info = stat()
        guard fstat(file.number, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
            throw AccessError("the token file \(path) is not a plain file")
        }
        guard info.st_mode & 0o007 == 0 else {
            throw AccessError("the token file \(path) is accessible to other users; run 'chmod 600 \(path)'")
        }
        guard info.st_uid == 0 || info.st_uid == geteuid() else {
            throw AccessError("the token file \(path) is owned by another user; root or you must own it")
        }
        guard info.st_mode & 0o020 == 0 else {
            throw AccessError("the token file \(path) is writable by its group; run 'chmod g-w \(path)'")
        }
    }
}
