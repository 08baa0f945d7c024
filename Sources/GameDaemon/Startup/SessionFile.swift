// The saved session of the flow `startup`: one small file, read and written away from the loop.

import BuiltInFlows
import GameFlow
import Glibc
import Posix

/// A file that names the user whose session goes on: `{"userID":"ann"}`.
struct SessionFile: SavedSession {
    private let path: String
    /// Where an earlier gamed has put it.
    private let earlierPath: String?
    /// Whether it is written only where nobody else can put something in its place.
    private let isCautious: Bool
    /// Is told what is not done, and why, where the flow goes on without it.
    private let complain: @Sendable (String) -> Void

    /// In a directory of one's own.
    init(path: String) {
        self.init(path, earlier: nil, isCautious: false) { _ in }
    }

    private init(
        _ path: String, earlier: String?, isCautious: Bool, _ complain: @escaping @Sendable (String) -> Void
    ) {
        (self.path, earlierPath, self.isCautious, self.complain) = (path, earlier, isCautious, complain)
    }

    /// In the data directory; without one beside the socket, where it may lie in a directory of everybody's.
    static func ofService(
        data directory: String?, socket: String, _ complain: @escaping @Sendable (String) -> Void
    ) -> SessionFile {
        let besides = socket + ".user"
        guard let directory else { return SessionFile(besides, earlier: nil, isCautious: true, complain) }
        return SessionFile(directory + "/gamed.user", earlier: besides, isCautious: false, complain)
    }

    /// Nil if there is no file; an error if there is one that cannot be read or trusted.
    func load(for flowSession: String) async throws -> String? {
        do {
            let text = try await blockingWork { [path, earlierPath] in
                try SmallFile(own: path).text() ?? earlierPath.flatMap { try Self.moved(from: $0, to: path) }
            }
            return try text.flatMap { try user(in: $0) }
        } catch {
            complain("nobody is remembered: \(error)")
            throw error
        }
    }

    private func user(in text: String) throws(FileError) -> String? {
        do throws(JSONError) {
            let user = try JSON(parsing: text)["userID"]?.text ?? ""
            return user.isEmpty ? nil : user
        } catch {
            throw FileError("read", path, reason: error.description)
        }
    }

    /// What is in the earlier place, which is empty afterwards.
    private static func moved(from earlierPath: String, to path: String) throws(FileError) -> String? {
        let earlier = try SmallFile(own: earlierPath)
        guard let text = try earlier.text() else { return nil }
        // Where it cannot be moved it is read there again.
        if (try? SmallFile(own: path).replace(with: text)) != nil { earlier.remove() }
        return text
    }

    func save(_ user: String) async throws {
        let text = JSON.object([.init("userID", .string(user))]).description + "\n"
        let isSaved = try await blockingWork { [path, isCautious] in
            let file = try SmallFile(own: path)
            guard !isCautious || file.isGuarded else { return false }
            try file.replace(with: text)
            return true
        }
        if !isSaved {
            complain("'\(user)' is not remembered: others can write beside \(path); --data gives gamed a place of its own")
        }
    }
}
