// Every store keeps the same promises while it fails: what was acknowledged stays, what was refused did not happen, and the daemon continues by
// itself once the store does.

import Foundation
import Seeds
import TestSupport
import Testing

extension RunningDaemon {
    fileprivate var isServing: Bool { (try? ask("PING").text) == "PONG" }
}

@Suite struct `A store that fails` {
    /// Codes of changes that have certainly not happened.
    private static let refusals: Set<String> = ["CLUSTERDOWN", "TRYAGAIN"]
    /// Codes of changes that may have happened: a directory's is kept if the daemon lives until it can write again.
    private static let open: Set<String> = ["JOURNAL", "UNKNOWN"]

    /// A client's knowledge of its session.
    private struct Known {
        /// Changes that were acknowledged, and those that may or may not have happened.
        var (acknowledged, uncertain) = (0, 0)

        /// The possible numbers of changes.
        var range: ClosedRange<Int> { acknowledged...acknowledged + uncertain }

        mutating func note(_ answer: Answer) {
            switch answer.code?.text {
            case nil: acknowledged += 1
            case let code? where `A store that fails`.open.contains(code): uncertain += 1
            case let code?: #expect(`A store that fails`.refusals.contains(code), "\(answer)")
            }
        }
    }

    private func version(_ daemon: RunningDaemon) throws -> Int {
        #expect(try eventually { try !daemon.ask("STATE room").isError }, "\(daemon.errors)")
        return try #require(daemon.ask("STATE room")["version"]?.integer)
    }

    /// A failure, and whether the daemon is killed while it lasts.
    struct Story {
        let failure: FailingStore.Failure
        let isKilled: Bool

        static let all = FailingStore.Failure.allCases.flatMap {
            [Story(failure: $0, isKilled: true), Story(failure: $0, isKilled: false)]
        }
    }

    /// `make soak` tries a database with all of them.
    @Test(arguments: StoreKind.each(Story.all, ofDatabase: { $0.isKilled == ($0.failure == .slow) || StoreKind.isThorough }))
    fileprivate func `A daemon whose store fails keeps acknowledged changes, makes no refused one, and resumes by itself`(
        storeKind: StoreKind, story: Story
    ) throws {
        let store = try FailingStore(storeKind)
        let daemon = try store.start()
        let client = try TestClient(daemon.socketPath)
        #expect(try client.ask("NEW room turns").text == "first")
        var known = Known()
        for _ in 0..<3 { known.note(try client.ask("SEND room pass")) }
        #expect(known.acknowledged == 3)
        try store.fail(story.failure)
        client.send(Array(repeating: "SEND room pass", count: Self.sent))
        // Clients wait for a slow store, and get errors from a failing one.
        if story.failure != .slow { #expect(client.hasInput(within: 30_000) && daemon.isServing) }
        if story.isKilled {
            try endDuringFailure(of: store, daemon, client, &known)
        } else {
            try outlast(failureOf: store, daemon, client, &known)
        }
        try store.recover()
        let next = try store.start()
        let kept = try version(next)
        #expect(known.range.contains(kept), "\(known), \(kept)")
        let history = try next.ask("HISTORY room COUNT 100").list.compactMap { $0["version"]?.integer }
        #expect(Set(history).isSuperset(of: 0...kept), "\(history)")
        #expect(next.stop() == 0)
    }

    /// While the store fails.
    private static let sent = 5

    private func endDuringFailure(of store: FailingStore, _ daemon: RunningDaemon, _ client: TestClient, _ known: inout Known)
        throws
    {
        daemon.killIt()
        try store.repair()
        var unanswered = Self.sent
        while let answer = try? client.next() {
            known.note(answer)
            unanswered -= 1
        }
        known.uncertain += unanswered
    }

    private func outlast(failureOf store: FailingStore, _ daemon: RunningDaemon, _ client: TestClient, _ known: inout Known)
        throws
    {
        try store.repair()
        for _ in 0..<Self.sent { known.note(try client.next()) }
        let goesOn = try eventually {
            let answer = try client.ask("SEND room pass")
            known.note(answer)
            return !answer.isError
        }
        let seen = try version(daemon)
        #expect(goesOn && known.range.contains(seen), "\(known), \(seen)")
        (known.acknowledged, known.uncertain) = (seen, 0)
        daemon.killIt()
    }
}
