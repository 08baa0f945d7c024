// Names and patterns that SUBSCRIBE, PSUBSCRIBE and SSUBSCRIBE refuse, because nothing would ever be sent for them.

import BuiltInFlows
import GameFlow
import Memory
import RESP
import Seeds
import Testing
import Timers
@testable import Commands

@Suite struct `Channels` {
    private let client: LocalClient

    init() {
        client = LocalClient(of: Host(on: Timekeeper(VirtualClock()), flows: [.flow(Turns.self)], commands: .all))
    }

    private func ask(_ line: String) -> Reply? { client.run(line.split(separator: " ").map(String.init)).first }

    @Test(arguments: [
        ("SUBSCRIBE main", "'main' is not a channel; use session:NAME or view:NAME"),
        ("SUBSCRIBE session:main news", "'news' is not a channel; use session:NAME or view:NAME"),
        ("SUBSCRIBE Session:main", "'Session:main' is not a channel; use session:NAME or view:NAME"),
        ("PSUBSCRIBE main*", "'main*' matches no channel; use session:GLOB or view:GLOB"),
        ("PSUBSCRIBE session:* session", "'session' matches no channel; use session:GLOB or view:GLOB"),
        ("PSUBSCRIBE view*", "'view*' matches no channel; use session:GLOB or view:GLOB"),
        (
            "SSUBSCRIBE session:main",
            "'session:main' is not a sharded channel; use session:{NAME} or view:{NAME}, without braces if the name has some"
        ),
    ])
    func `A name without a channel is refused, and its command subscribes to nothing`(line: String, sentence: String) {
        #expect(ask(line) == .error(code: .generic, text: sentence))
        #expect(client.client.subscriptionCount == 0)
    }

    @Test(arguments: [
        "*", "s*", "?ession:a", "[r-t]ession:*", #"\session:*"#, "session:", "session:*", "view:", "view:a?", "sess*:b",
    ])
    func `A pattern that may match a channel is accepted`(pattern: String) {
        _ = ask("PSUBSCRIBE \(pattern)")
        #expect(client.client.subscriptionCount == 1)
    }

    @Test(arguments: 0..<4) func `A random pattern that is refused matches no channel of messages`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let parts = ["session:", "sess", "ion:", "s", "view", ":", "a", "*", "?", "[a-z]", "[", #"\s"#, #"\"#]
        var refused = 0
        for _ in 0..<2_000 {
            let pattern = (0..<Int.random(in: 1...4, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
                .joined()
            guard !pattern.hasPrefix("view:"), case .error? = ask("PSUBSCRIBE \(pattern)") else {
                _ = ask("PUNSUBSCRIBE")
                continue
            }
            refused += 1
            for name in ["", "a", "b:a", "*", "?", "[", "\\", "session:", "as"] {
                #expect(!Glob(pattern).matches("session:" + name), "\(pattern)")
            }
        }
        #expect(refused > 100)
    }
}
