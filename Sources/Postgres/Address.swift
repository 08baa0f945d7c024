// The database's address in libpq's notations, and its parts that must not be shown.

import CPostgres

/// A URI (`postgres://USER@HOST/DATABASE`) or keywords (`host=db dbname=gamed`).
struct Address {
    struct Host {
        let name: String?
        let number: String?
        let port: String?

        /// Whether it has a name to look up: it is no socket, and no address is given.
        var isLookedUp: Bool {
            guard let first = name?.first, number?.isEmpty ?? true else { return false }
            return first != "/" && first != "@"
        }

        /// Its name at each of these addresses, as a list of hosts.
        func at(_ addresses: [String]) -> Host {
            Host(
                name: addresses.map { _ in name ?? "" }.joined(separator: ","), number: addresses.joined(separator: ","),
                port: port)
        }
    }

    let text: String
    let secrets: Secrets
    /// Each is tried for its part of the time; none if libpq finds out itself.
    let hosts: [Host]

    /// The error does not repeat the wrong part: it may be a part of a password.
    init(_ text: String) throws(PostgresError) {
        if Self.isAmbiguous(text) {
            throw PostgresError(
                .notSent,
                "the database's URI is not understood: in a password, write %40 for @ and %2F for /")
        }
        var complaint: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &complaint) else {
            PQfreemem(complaint)
            throw PostgresError(
                .notSent,
                "the database's address is not understood: it is postgres://USER@HOST/DATABASE?KEYWORD=VALUE or KEYWORD=VALUE …, "
                    + "with libpq's keywords")
        }
        defer { PQconninfoFree(options) }
        let values = Self.values(options)
        self.text = text
        secrets = Secrets([values["password"], values["sslpassword"]].compactMap(\.self))
        hosts = Self.hosts(values)
    }

    private static func values(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var values: [String: String] = [:]
        var option = options
        while let name = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: name)] = String(cString: value) }
            option += 1
        }
        return values
    }

    /// Whether libpq would take a part of the password for a host.
    private static func isAmbiguous(_ text: String) -> Bool {
        guard let scheme = ["postgres://", "postgresql://"].first(where: text.hasPrefix) else { return false }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        let signs = authority.count { $0 == "@" }
        let hasMore = rest.dropFirst(authority.count).contains("@")
        return signs > 1 || signs == 0 && hasMore && authority.contains(":")
    }

    private static func hosts(_ values: [String: String]) -> [Host] {
        let parts = ["host", "hostaddr", "port"].map {
            values[$0]?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        }
        let count = max(parts[0].count, parts[1].count)
        // libpq reports lists that do not fit together.
        guard count > 0, parts.allSatisfy({ $0.count <= 1 || $0.count == count }) else { return [] }
        return (0..<count).map { place in
            let own = parts.map { $0.count == count ? String($0[place]) : $0.first.map(String.init) }
            return Host(name: own[0], number: own[1], port: own[2])
        }
    }
}

/// Words that no error message contains.
struct Secrets: Sendable {
    private var words: [[UInt8]]

    init(_ words: [String]) {
        self.words = words.filter { !$0.isEmpty }.map { Array($0.utf8) }
    }

    mutating func add(_ word: String) {
        let bytes = Array(word.utf8)
        if !bytes.isEmpty, !words.contains(bytes) { words.append(bytes) }
    }

    /// The text without them.
    func hidden(in text: String) -> String {
        String(decoding: words.reduce(Array(text.utf8)) { $0.replacing($1, with: Array("…".utf8)) }, as: UTF8.self)
    }
}
