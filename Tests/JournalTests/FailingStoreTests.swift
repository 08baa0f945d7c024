// Every store keeps the same promises while it fails: what was acknowledged stays, what was refused did not happen, and the daemon continues by
// itself once the store does.

import Foundation
import Seeds
import TestSupport
import Testing

extension DaemonProcess {
    fileprivate var isServing: Bool { (try? ask("PING").text) == "PONG" }
}

@Suite struct `A store that fails` {
    /// Codes of changes that have certainly not happened.
    private static let refusals: Set<String> = ["CLUSTERDOWN", "TRYAGAIN"]
    /// Of changes that may have happened: a directory's is kept if the daemon lives until it can write again.
    private static let open: Set<String> = ["JOURNAL", "UNKNOWN"]

    /// What a client knows of its session.
    private struct Known {
        /// Changes that were acknowledged, and those that may or may not have happened.
        var (acknowledged, uncertain) = (0, 0)

        mutating func note(_ answer: Answer) {
            switch answer.code?.text {
            case nil: acknowledged += 1
            case let code? where `A store that fails`.open.contains(code): uncertain += 1
            case let code?: #expect(`A store that fails`.refusals.contains(code), "\(answer)")
            }
        }
    }

    private func version(_ daemon: DaemonProcess) throws -> Int {
        #expect(try eventually(40) { try !daemon.ask("STATE room").isError }, "\(daemon.errors)")
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
    @Test(arguments: Keeping.each(Story.all, ofDatabase: { $0.isKilled == ($0.failure == .slow) || Keeping.isThorough }))
    fileprivate func `keeps what was acknowledged, does nothing else but what was left open, and continues by itself`(
        keeping: Keeping, story: Story
    ) throws {
        let store = try FailingStore(keeping)
        let daemon = try store.start()
        let asker = try Asker(daemon.folder.socket, patience: 60)
        #expect(try asker.ask("NEW room turns").text == "first")
        var known = Known()
        for _ in 0..<3 { known.note(try asker.ask("SEND room pass")) }
        #expect(known.acknowledged == 3)

        try store.fail(story.failure)
        asker.send(Array(repeating: "SEND room pass", count: 5))
        // A store that is slow is waited for; of another one, clients learn.
        if story.failure != .slow { #expect(asker.hasAnswer(within: 30_000) && daemon.isServing) }
        if story.isKilled {
            daemon.killIt()
            try store.repair()
            var rest = 5
            while let answer = try? asker.next() {
                known.note(answer)
                rest -= 1
            }
            known.uncertain += rest
        } else {
            try store.repair()
            for _ in 0..<5 { known.note(try asker.next()) }
            #expect(
                try eventually(40) {
                    let answer = try asker.ask("SEND room pass")
                    known.note(answer)
                    return !answer.isError
                })
            let seen = try version(daemon)
            #expect((known.acknowledged...known.acknowledged + known.uncertain).contains(seen), "\(known), \(seen)")
            (known.acknowledged, known.uncertain) = (seen, 0)
            daemon.killIt()
        }
        try store.recover()
        let next = try store.start()
        let kept = try version(next)
        #expect((known.acknowledged...known.acknowledged + known.uncertain).contains(kept), "\(known), \(kept)")
        let history = try next.ask("HISTORY room COUNT 100").list.compactMap { $0["version"]?.integer }
        #expect(Set(history).isSuperset(of: 0...kept), "\(history)")
        #expect(next.stop() == 0)
    }
}
