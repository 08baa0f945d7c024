// The addresses of names: asked for on threads, since the system may take its time.

import Dispatch
import EventLoop
import Posix
import Timers

package final class NameLookup {
    private struct CachedAddresses {
        let addresses: [String]
        let until: Instant
    }

    private static let kept = Duration.seconds(10)
    private static let maxNames = 256

    private let lookups: LoopWork<[String]>
    private var known: [String: CachedAddresses] = [:]
    private var waiting: [String: Completions<[String]>] = [:]
    private let clock = SystemClock()

    package init(on loop: Loop) throws(LoopFailure) {
        lookups = try LoopWork(on: loop, DispatchQueue(label: "gamed.names", attributes: .concurrent))
    }

    /// Calls back now or in a later turn; with nothing where the name has no address.
    package func find(_ name: String, _ then: @escaping ([String]) -> Void) {
        if TcpAddress.isNumeric(name) { return then([name]) }
        if let known = known[name], clock.now < known.until { return then(known.addresses) }
        waiting[name, default: Completions()].add(then)
        guard waiting[name]?.count == 1 else { return }
        lookups.run({ Self.addresses(of: name) }) { [unowned self] in receive($0, of: name) }
    }

    private func receive(_ addresses: [String], of name: String) {
        if known.count >= Self.maxNames { known = [:] }
        known[name] = CachedAddresses(addresses: addresses, until: clock.now.advanced(by: Self.kept))
        waiting.removeValue(forKey: name)?.complete(with: addresses)
    }

    private static func addresses(of name: String) -> [String] {
        Array(((try? HostLookup.addresses(of: name)) ?? []).prefix(4))
    }
}
