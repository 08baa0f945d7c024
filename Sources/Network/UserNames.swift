// The names of users at the UNIX socket. The system may ask a directory service for a name, which can take seconds.

import Dispatch
import EventLoop
import Glibc
import Posix

/// Looks up each user's name once, on other threads.
final class UserNames {
    /// A connection that waits for its user's name.
    private final class Waiting {
        private var descriptor: Descriptor?

        init(_ descriptor: consuming Descriptor) { self.descriptor = consume descriptor }

        func takeDescriptor() -> Descriptor? { descriptor.take() }
    }

    private let lookups: LoopWork<String>
    private let find: @Sendable (uid_t) -> String?
    private var names: [uid_t: String] = [:]
    private var waiting: [uid_t: [Waiting]] = [:]
    /// Connections that wait for their users' names.
    var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }

    /// Looks up the names of `known` at once: of the users who are always admitted.
    init(
        on loop: Loop, known: [uid_t] = [0, geteuid()], find: @escaping @Sendable (uid_t) -> String? = { userName(of: $0) }
    ) throws(LoopFailure) {
        self.find = find
        lookups = try LoopWork(on: loop, DispatchQueue(label: "gamed.users", attributes: .concurrent))
        for user in known { names[user] = find(user) ?? "\(user)" }
    }

    /// Nil if it is not looked up yet; the number if the system knows no name.
    subscript(user: uid_t) -> String? { names[user] }

    /// Calls back with the descriptor in a later turn, when the user's name is known.
    func lookUp(
        _ user: uid_t, for descriptor: consuming Descriptor, onDone: @escaping (consuming Descriptor) -> Void
    ) {
        waiting[user, default: []].append(Waiting(descriptor))
        guard waiting[user]?.count == 1 else { return }
        lookups.run({ [find] in find(user) ?? "\(user)" }) { [unowned self] name in
            names[user] = name
            for connection in waiting.removeValue(forKey: user) ?? [] {
                if let descriptor = connection.takeDescriptor() { onDone(descriptor) }
            }
        }
    }

    /// Makes room for a connection of `user`: returns the latest connection of the user with most, or nil if no user has
    /// two more than `user`.
    func expel(for user: uid_t) -> Descriptor? {
        let own = waiting[user]?.count ?? 0
        guard let most = waiting.max(by: { $0.value.count < $1.value.count }), most.value.count > own + 1 else { return nil }
        return waiting[most.key]?.popLast()?.takeDescriptor()
    }

    /// Closes the connections that wait.
    func closeWaiting() { for user in waiting.keys { waiting[user] = [] } }
}
