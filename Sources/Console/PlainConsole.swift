// The console for pipes and dumb terminals: each line of input is an event, and every change is printed.

import Commands
import EventLoop
import Glibc
import Posix
import RESP
import Texts
import Timers

final class PlainConsole: ConsoleFace {
    private static let maxLineLength = 64 << 10

    private unowned let console: Console
    private let output = ConsoleOutput()
    private var input = ByteQueue()
    /// Whether the line being read has more bytes than that. Those read so far are not kept.
    private var isTooLong = false
    private var watch: DescriptorWatch?
    private var loop: Loop?
    /// Whether reading has ended.
    private var isOver = false
    private var shown: [String]?
    /// Refusals for which the output has no room yet: their number, and the text of the last one.
    private var refusals: (count: Int, last: String)?
    /// The last move by a timer that was printed.
    private var lastMove: Instant?

    init(_ console: Console) {
        self.console = console
    }

    func start(on loop: Loop) throws {
        self.loop = loop
        try output.start(on: loop, of: self)
        watch = try DescriptorWatch(STDIN_FILENO, .readable, on: loop) { [unowned self] in receive() }
        refresh()
        // A regular file cannot be watched: it is read piece by piece.
        do { try watch?.start() } catch { readOn() }
    }

    func stop() {
        quit()
        loop = nil
    }

    /// Prints what is new. The console ends here once its input has ended and its output is written.
    func refresh() {
        guard let loop else { return }
        printNews()
        guard isOver, !output.isWaiting else { return }
        // In the next turn: stopping the daemon may make replies, and those of this turn have been sent.
        loop.schedule { [weak self] in self?.end() }
    }

    private func end() {
        stop()
        _ = console.perform(.end)
    }

    /// Prints refusals that had to wait, and the picture if it has changed.
    private func printNews() {
        guard printRefusals() else { return }
        let picture = console.picture
        let now = PlainPicture.lines(picture)
        guard now.identity != shown else { return }
        let timeout = PlainPicture.timeRanOut(picture, after: lastMove)
        let text = ((timeout.map { [$0.line] } ?? []) + now.lines).joined(separator: "\n") + "\n"
        // Without room, the newest picture is printed at the end of a later turn.
        guard output.write(text) else { return }
        (shown, lastMove) = (now.identity, timeout?.at ?? lastMove)
    }

    private func readOn() {
        loop?.schedule { [weak self] in
            guard let self, !isOver, receive() else { return }
            readOn()
        }
    }

    /// Whether more input may come.
    @discardableResult
    private func receive() -> Bool {
        let room = input.room(for: 4_096)
        let count = read(STDIN_FILENO, room.baseAddress, room.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return true }
        guard count > 0 else { return inputDidEnd() }
        input.commit(count)
        while !isOver, let end = input.bytes.firstIndex(of: UInt8(ascii: "\n")) { readLine(end, lineEnd: 1) }
        if input.count > Self.maxLineLength {
            isTooLong = true
            input.removeAll()
        }
        return !isOver
    }

    private func inputDidEnd() -> Bool {
        // The last line may lack a line end.
        if isTooLong || !input.isEmpty { readLine(input.count, lineEnd: 0) }
        quit()
        return false
    }

    /// Removes a line of `count` bytes from the input, and its end. A line that cannot be read is refused as a whole.
    private func readLine(_ count: Int, lineEnd: Int) {
        let text = String(validating: input.bytes[..<count], as: UTF8.self)
        let isTooLong = isTooLong || count > Self.maxLineLength
        input.consume(count + lineEnd)
        self.isTooLong = false
        if isTooLong { return refuse("the line has more than \(Self.maxLineLength) bytes") }
        guard let text else { return refuse("the line is not text in UTF-8") }
        handleLine(text)
    }

    /// Later lines are not read.
    private func quit() {
        isOver = true
        watch?.stop()
    }

    private func handleLine(_ line: String) {
        guard let intent = ConsoleDialog.Intent(line: line, events: console.picture.events) else { return }
        if intent == .end { return quit() }
        if let complaint = console.perform(intent) { refuse(complaint) }
        // Each line's outcome is printed before the next is read.
        refresh()
    }

    func refuse(_ sentence: String) {
        refusals = ((refusals?.count ?? 0) + 1, sentence.printable)
        printRefusals()
    }

    /// The turn ends with a refresh.
    func outputDidDrain() {}

    func outputDidFail(_ error: StreamError) { console.endWithout(output: error) }

    /// False if the output has no room. They are printed as one at the end of a later turn.
    @discardableResult
    private func printRefusals() -> Bool {
        guard let (count, last) = refusals else { return true }
        guard output.write("refused: \(count > 1 ? "\(count) lines; the last: " : "")\(last)\n") else { return false }
        refusals = nil
        return true
    }
}

/// A picture as lines for people and programs.
enum PlainPicture {
    /// A timer's move that has not been printed yet.
    static func timeRanOut(_ picture: ConsolePicture, after reported: Instant?) -> (line: String, at: Instant)? {
        guard case .session(let session, _) = picture, let move = session.timeRanOut, move.at != reported else { return nil }
        return ("\(session.name): time ran out: \(move.timer)".printable, move.at)
    }

    /// It is printed again when `identity` changes: passing time alone is no change.
    static func lines(_ picture: ConsolePicture) -> (lines: [String], identity: [String]) {
        switch picture {
        case .list(let list):
            guard list.total > 0 else {
                let line = "there is no session; \(list.suggestion) creates one"
                return ([line], [line])
            }
            let names = list.lines.prefix(20).map { "  @\($0.name) (\($0.flow), \($0.state))" }
            let lines = ["\("session".counted(list.total)); a line with @NAME shows one"] + names
            return (lines.map(\.printable), lines)
        case .session(let session, _):
            let view = session.view
            let paused = view.isPaused ? " (paused)" : ""
            let text = [view.screen.title, view.screen.text].filter { !$0.isEmpty }.joined(separator: ": ")
            let actions = view.actions.map { "  may \($0.name)\($0.payload.map { " (\(ConsoleScreen.needs($0)))" } ?? "")" }
            let clocks = view.clocks.map {
                "  \($0.name) in \(ConsoleScreen.text($0.remaining))\($0.isPaused ? ", paused" : "")"
            }
            let head = "\(session.name): \(session.state)\(paused): \(text)"
            let isPaused = view.clocks.map { "\($0.name) \($0.isPaused)" }
            return (([head] + actions + clocks).map(\.printable), [head] + actions + isPaused)
        }
    }
}

// MARK: - The console's output, buffered until standard output takes it

/// Nonblocking, with a bounded buffer.
final class ConsoleOutput {
    private static let maxBytes = 1 << 20

    private let output = NonblockingOutput(descriptor: STDOUT_FILENO)
    private var queue = ByteQueue()
    private var watch: DescriptorWatch?
    private weak var face: (any ConsoleFace)?

    func start(on loop: Loop, of face: any ConsoleFace) throws(LoopFailure) {
        self.face = face
        watch = try DescriptorWatch(output.watchable, .writable, on: loop) { [unowned self] in flush() }
    }

    var isWaiting: Bool { !queue.isEmpty }

    /// False if the buffer has no room for it.
    @discardableResult
    func write(_ text: String) -> Bool {
        var text = text
        let fits = text.withUTF8 { bytes in
            guard queue.count + bytes.count <= Self.maxBytes else { return false }
            queue.append(UnsafeRawBufferPointer(bytes))
            return true
        }
        flush()
        return fits
    }

    private func flush() {
        let hadToWait = watch?.isRunning ?? false
        while !queue.isEmpty {
            guard let count = output.write(queue.bytes) else {
                let error = StreamError(.write, "standard output", errno)
                queue.removeAll()
                watch?.stop()
                face?.outputDidFail(error)
                return
            }
            guard count > 0 else { return waitForRoom() }
            queue.consume(count)
        }
        watch?.stop()
        if hadToWait { face?.outputDidDrain() }
    }

    /// Regular files cannot be watched, and never block.
    private func waitForRoom() {
        try? watch?.start()
    }
}
