// Users and groups of this machine who may use the UNIX socket, besides the daemon's own user and root.

import Glibc
import Posix
import Texts

package struct LocalAccess: Equatable, Sendable {
    /// A user or a group, as it was written: `players`, `1000`, `players:play`.
    package struct Name: Equatable, Sendable {
        package enum Kind: String, Sendable {
            case user, group
        }

        package let kind: Kind
        package let name: String
        package let role: Role
        /// As it was written.
        package let text: String

        package init(_ text: String, _ kind: Kind) throws(UsageError) {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let name = parts.first, !name.isEmpty else {
                throw UsageError(of: "--allow-\(kind)", "is NAME or NAME:ROLE, like ann or ann:play, not '\(text.shortened)'")
            }
            (self.kind, self.name, self.text) = (kind, name, text)
            do throws(AccessError) {
                role = parts.count == 1 ? .master : try Role(named: parts[1], of: "the \(kind) '\(name.shortened)'")
            } catch {
                throw UsageError(error.description)
            }
        }
    }

    package private(set) var users: [uid_t: Role] = [:]
    package private(set) var groups: [gid_t: Role] = [:]
    /// In the order in which they were named.
    package private(set) var groupsInOrder: [gid_t] = []

    package init() {}

    /// Looks the names up. May ask a directory service. `fail` is told of those that the system does not know.
    package init(_ names: [Name], _ fail: (Name, AccessError) throws -> Void) rethrows {
        for name in names {
            do throws(AccessError) { try add(name) } catch { try fail(name, error) }
        }
    }

    private mutating func add(_ name: Name) throws(AccessError) {
        switch name.kind {
        case .user:
            guard let user = userNumber(of: name.name) else { throw unknown(name, "useradd") }
            users[user] = name.role
        case .group:
            guard let group = groupNumber(of: name.name) else { throw unknown(name, "groupadd") }
            if groups.updateValue(name.role, forKey: group) == nil { groupsInOrder.append(group) }
        }
    }

    private func unknown(_ name: Name, _ program: String) -> AccessError {
        AccessError(
            "this machine has no \(name.kind) '\(name.name.shortened)'; '\(program) \(name.name.shortened)' creates one, "
                + "and a number is accepted as well")
    }

    package var isEmpty: Bool { users.isEmpty && groups.isEmpty }

    /// The role of a peer that opened the socket; nil if it is not admitted. The name comes later, since finding it may take long.
    package func role(of peer: PeerIdentity) -> Role? {
        if peer.isTrusted { return .master }
        let roles = [users[peer.user]] + peer.groups.map { groups[$0] }
        return roles.compactMap(\.self).max { Self.rank($0) < Self.rank($1) }
    }

    private static func rank(_ role: Role) -> Int { Role.given.firstIndex(of: role) ?? 0 }
}
