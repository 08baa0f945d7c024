// A terminal program for a session of the flow `onboarding`: navigator SESSION. It keeps no state of the session: each view chooses the page, and each
// line that people type is sent as an event.

import Foundation
import GamedClient

@main struct Navigator {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        guard let name = words.first, words.count == 1 else { return show("usage: navigator SESSION") }
        let gamed = Gamed()
        do {
            try await Navigator(session: await begin(name, gamed)).run()
        } catch let error as GamedError {
            show("\(error)")
        }
        await gamed.close()
    }

    /// The session of that name; a new one if there is none.
    private static func begin(_ name: String, _ gamed: Gamed) async throws -> GamedSession {
        do {
            return try await gamed.session(name)
        } catch GamedError.refused(let refused) where refused.code == .noSession {
            return try await gamed.create(name, flow: "onboarding")
        }
    }

    private let session: GamedSession

    init(session: GamedSession) { self.session = session }

    /// Returns when the session is final or dropped, or when the input ends.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await showViews() }
            group.addTask { try await sendLines() }
            try await group.next()
            group.cancelAll()
        }
    }

    private func showViews() async {
        var shown = ""
        for await view in session.views {
            let text = Page(of: view).text
            // A view may differ in what no page shows.
            if text != shown { Self.show(text) }
            shown = text
            if view.isFinal { break }
        }
    }

    /// Each line is the answer to the page that is shown.
    private func sendLines() async throws {
        for await line in Self.lines {
            let view = try await session.view()
            guard let event = Page(of: view).event(for: line) else { continue }
            do {
                if let payload = event.payload {
                    try await session.send(event.name, payload)
                } else {
                    try await session.send(event.name)
                }
            } catch GamedError.refused(let refused) {
                Self.show(refused.message)
            }
        }
    }

    /// Writes at once, also into a pipe.
    private static func show(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    /// Lines of standard input, read by a thread that may wait for them.
    private static var lines: AsyncStream<String> {
        let (lines, reader) = AsyncStream.makeStream(of: String.self)
        DispatchQueue(label: "lines").async {
            while let line = readLine() { reader.yield(line) }
            reader.finish()
        }
        return lines
    }
}
