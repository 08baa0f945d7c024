// The console without a terminal: its keys, their effects, and its screen.

import BuiltInFlows
import GameFlow
import Glibc
import Posix
import Terminal
import Testing
import Timers
@testable import Commands
@testable import Console
@testable import Sessions
@testable import Texts

/// Shows a progress that is not from 0 to 1 in most of its states.
private struct Odd: TypedFlow {
    enum State: FlowState { case below, half, beyond, huge, infinite, none }
    enum Event: Sendable { case go }

    static let events = Catalogue<Event>(.plain(.go))

    let clock: FlowClock

    func initialState() throws -> State { .half }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition { { .half } }

    func screen(for state: State) -> Screen {
        let progress: Double =
            switch state {
            case .below: -1
            case .half: 0.5
            case .beyond: 1.5
            case .huge: 1e300
            case .infinite: .infinity
            case .none: .nan
            }
        return Screen(title: "Odd", progress: progress)
    }
}

@Suite struct `The console` {
    private let host: Host
    private let clock = VirtualClock()

    init() throws {
        let flows: [FlowKind] = [.flow(Game.self), .flow(Turns.self), .flow(Odd.self)]
        host = Host(on: Timekeeper(clock), flows: flows, commands: .all)
        try host.begin("main", flow: "game")
    }

    private func advance(_ duration: Duration) {
        host.timekeeper.advance(clock, by: duration)
    }

    private func lines(
        of name: String?, _ dialog: ConsoleDialog = ConsoleDialog(), columns: Int = 60, rows: Int = 30
    ) -> [String] {
        let screen = ConsoleScreen(size: .init(columns: columns, rows: rows), glyphs: .ascii)
        return screen.lines(ConsolePicture(of: name, in: host), dialog).map(\.text)
    }

    private func run(_ words: String) {
        _ = LocalClient(of: host).run(words.split(separator: " ").map(String.init))
    }

    @Test func `The console shows the session's state, its remaining time and the possible actions`() {
        run("SEND main startPlaying")
        advance(.seconds(15))
        #expect(
            lines(of: "main") == [
                "main · game · choosingEpisode", "Choose an episode", "There are four.", "-------------------- 0 %", "",
                "  choosingEpisode ###########---------- 15.0 s", "", "  1  Choose episode… (episode: 1 to 4)",
                "  2  Return home", "",
                "q leaves · space pauses · esc list",
            ])
        run("PAUSE main")
        #expect(lines(of: "main").contains("  choosingEpisode ###########---------- 15.0 s paused"))
        #expect(lines(of: "main").first == "main · game · choosingEpisode · paused")
    }

    @Test(
        arguments: [
            ("below", "-------------------- 0 %"), ("half", "##########---------- 50 %"),
            ("beyond", "#################### 100 %"), ("huge", "#################### 100 %"), ("infinite", nil), ("none", nil),
        ] as [(String, String?)])
    func `The console shows a progress from 0 to 100 %, and none that is not finite`(state: String, bar: String?) throws {
        try host.begin("odd", flow: "odd")
        run("FORCE odd \(state)")
        #expect(lines(of: "odd").first == "odd · odd · \(state)")
        #expect(lines(of: "odd").first { $0.hasSuffix(" %") } == bar)
    }

    @Test func `The console lists sessions to choose from and says if there is none`() throws {
        try host.begin("room", flow: "turns")
        #expect(
            lines(of: nil) == [
                "Sessions", "  1  main  game · introduction", "  2  room  turns · first", "",
                "q leaves · a digit or a name shows a session",
            ])
        var dialog = ConsoleDialog()
        #expect(dialog.press(.character("2"), seeing: ConsolePicture(of: nil, in: host)) == .show("room"))
        #expect(dialog.press(.character("3"), seeing: ConsolePicture(of: nil, in: host)) == nil)
        #expect(dialog.press(.tab, seeing: ConsolePicture(of: "room", in: host)) == .showNext)
        #expect(dialog.press(.escape, seeing: ConsolePicture(of: "room", in: host)) == .show(nil))
        run("DROP room")
        #expect(lines(of: "room").first == "'room' no longer exists. Sessions")
        run("DROP main")
        #expect(lines(of: nil).first == "There is no session.")
    }

    @Test func `A list is drawn again after a listed session has changed, or another one has its place`() throws {
        try host.begin("room", flow: "turns")
        let console = try Console(of: host, showing: nil) { _ in }
        var last = console.fingerprint
        #expect(console.shown == nil && console.fingerprint == last)
        for commands in [["SEND main startPlaying"], ["FORCE room second"], ["DROP room", "NEW hall turns"]] {
            for command in commands { run(command) }
            #expect(console.fingerprint != last, "\(commands)")
            last = console.fingerprint
        }
    }

    @Test func `The console asks for an action's payload and sends it`() {
        run("SEND main startPlaying")
        let picture = ConsolePicture(of: "main", in: host)
        var dialog = ConsoleDialog()
        #expect(dialog.press(.character("1"), seeing: picture) == nil)
        for key in [Key.character("4"), .character("2"), .backspace] { #expect(dialog.press(key, seeing: picture) == nil) }
        #expect(lines(of: "main", dialog).last == "Choose episode, episode: 1 to 4> 4")
        #expect(dialog.press(.enter, seeing: picture) == .send(event: "chooseEpisode", payload: "4"))
        #expect(dialog.mode == .watching)
    }

    @Test func `The dialog for an event closes with a message when the event is no longer possible`() {
        run("SEND main startPlaying")
        var dialog = ConsoleDialog()
        _ = dialog.press(.character("1"), seeing: ConsolePicture(of: "main", in: host))
        advance(.seconds(30))
        dialog.update(for: ConsolePicture(of: "main", in: host))
        #expect(dialog.mode == .watching)
        #expect(lines(of: "main", dialog).contains("'chooseEpisode' is no longer possible"))
    }

    @Test func `Escape cancels a dialog, Ctrl-D quits, and other keys do nothing`() {
        run("SEND main startPlaying")
        let picture = ConsolePicture(of: "main", in: host)
        var dialog = ConsoleDialog()
        _ = dialog.press(.character("1"), seeing: picture)
        #expect(dialog.press(.escape, seeing: picture) == nil)
        #expect(dialog.mode == .watching)
        for key in [Key.character("9"), .character("€"), .character("0"), .enter, .other, .backspace, .tab] {
            #expect(dialog.press(key, seeing: picture) == nil)
            #expect(dialog.mode == .watching)
        }
        #expect(dialog.press(.end, seeing: picture) == .end)
    }

    @Test func `The console reports its end once, however often its output fails or its user quits`() throws {
        var ends: [StreamError?] = []
        let console = try Console(of: host, showing: nil) { ends.append($0) }
        let isFull = StreamError(.write, "standard output", ENOSPC)
        console.endWithout(output: isFull)
        console.endWithout(output: StreamError(.write, "standard output", EPIPE))
        _ = console.perform(.end)
        #expect(ends == [isFull])
    }

    @Test func `The console that the daemon stops does not report its end`() throws {
        var ends = 0
        let console = try Console(of: host, showing: nil) { _ in ends += 1 }
        console.stop()
        _ = console.perform(.end)
        #expect(ends == 0)
    }

    // MARK: Typing

    /// Types the text and returns the intent of the last key.
    private func type(_ text: String, _ dialog: inout ConsoleDialog, at name: String?) -> ConsoleDialog.Intent? {
        let keys = text.map { $0 == "\n" ? Key.enter : $0 == "\t" ? .tab : .character($0) }
        return keys.map { dialog.press($0, seeing: ConsolePicture(of: name, in: host)) }.last ?? nil
    }

    @Test(arguments: ["pass", "list", "quiz", "NEW room turns"])
    func `The letters of a typed name do not act as keys`(name: String) throws {
        try host.begin("room", flow: "turns")
        try host.begin("quiz", flow: "turns")
        var dialog = ConsoleDialog()
        let shown = name == "pass" || name == "list" ? "room" : nil
        for letter in name {
            let intent = type(String(letter), &dialog, at: shown)
            #expect(intent == nil)
        }
        #expect(dialog.mode == .naming(name))
        #expect(lines(of: shown, dialog).last == "> \(name)")
        let intents: [String: ConsoleDialog.Intent] = [
            "pass": .send(event: "pass", payload: nil), "list": .show(nil), "quiz": .show("quiz"),
            "NEW room turns": .begin(["room", "turns"]),
        ]
        #expect(type("\n", &dialog, at: shown) == intents[name])
        #expect(dialog.mode == .watching)
    }

    @Test func `A typed event is sent with its payload, or the console asks for the payload`() {
        run("SEND main startPlaying")
        var dialog = ConsoleDialog()
        #expect(type("chooseEpisode 3\n", &dialog, at: "main") == .send(event: "chooseEpisode", payload: "3"))
        #expect(type("cho\t\n", &dialog, at: "main") == nil)
        #expect(lines(of: "main", dialog).last == "Choose episode, episode: 1 to 4> ")
        #expect(type("2\n", &dialog, at: "main") == .send(event: "chooseEpisode", payload: "2"))
    }

    @Test func `Backspace deletes a typed name letter by letter, and Escape deletes all of it`() {
        let picture = ConsolePicture(of: "main", in: host)
        var dialog = ConsoleDialog()
        _ = type("st", &dialog, at: "main")
        #expect(dialog.press(.backspace, seeing: picture) == nil)
        #expect(dialog.mode == .naming("s"))
        _ = dialog.press(.backspace, seeing: picture)
        #expect(dialog.mode == .watching)
        _ = type("sta", &dialog, at: "main")
        #expect(dialog.press(.escape, seeing: picture) == nil)
        #expect(dialog.mode == .watching)
    }

    @Test func `The q key quits at once, or after Enter if a listed name begins with q`() throws {
        var dialog = ConsoleDialog()
        #expect(type("q", &dialog, at: "main") == .end)
        #expect(lines(of: "main").last?.hasPrefix("q leaves") == true)
        try host.begin("quiz", flow: "turns")
        #expect(type("q", &dialog, at: "main") == .end)
        #expect(type("q", &dialog, at: nil) == nil)
        #expect(type("\n", &dialog, at: nil) == .end)
        #expect(lines(of: nil).last?.hasPrefix("q enter leaves") == true)
    }

    @Test func `The space key pauses and resumes, or types a space within text`() {
        var dialog = ConsoleDialog()
        #expect(type(" ", &dialog, at: "main") == .pauseOrResume)
        _ = type("startPlaying ", &dialog, at: "main")
        #expect(dialog.mode == .naming("startPlaying "))
    }

    @Test func `The console accepts the NEW command that it suggests if there is no session`() throws {
        run("DROP main")
        let console = try Console(of: host, showing: nil) { _ in }
        #expect(
            lines(of: nil) == [
                "There is no session.", "", "  NEW main game  creates one", "", "q leaves · letters begin a command",
            ])
        var dialog = ConsoleDialog()
        let intent = try #require(type("NEW main game\n", &dialog, at: nil))
        #expect(console.perform(intent) == nil)
        #expect(console.shown == "main")
        #expect(lines(of: console.shown).first == "main · game · introduction")
        #expect(console.perform(.begin(["main", "game"])) == "session 'main' already exists")
        #expect(console.perform(.show("nobody")) == "there is no session 'nobody'; NEW nobody FLOW creates it")
        #expect(console.shown == "main")
    }

    // MARK: Time

    @Test func `The console shows for five seconds at most which timer ran out`() {
        run("SEND main startPlaying")
        #expect(!lines(of: "main").contains { $0.hasPrefix("Time ran out") })
        advance(.seconds(30))
        #expect(lines(of: "main").contains("Time ran out: choosingEpisode"))
        #expect(ConsolePicture(of: "main", in: host).isMoving, "the message disappears by itself")
        advance(.seconds(5))
        #expect(!lines(of: "main").contains { $0.hasPrefix("Time ran out") })
    }

    @Test func `The console does not show that time ran out after a later event or for a tick`() {
        run("SEND main startPlaying")
        advance(.seconds(30))
        run("SEND main displayHelp")
        #expect(!lines(of: "main").contains { $0.hasPrefix("Time ran out") })
        for event in ["dismissHelp", "startPlaying", "chooseEpisode 1", "chooseLevel 1"] { run("SEND main \(event)") }
        advance(.seconds(3))
        #expect(lines(of: "main").contains("Episode 1, level 1"))
        #expect(!lines(of: "main").contains { $0.hasPrefix("Time ran out") })
    }

    @Test func `The console in a pipe prints each timer's transition once`() throws {
        let picture = { ConsolePicture(of: "main", in: host) }
        run("SEND main startPlaying")
        #expect(PlainPicture.timeRanOut(picture(), after: nil) == nil)
        advance(.seconds(30))
        let news = try #require(PlainPicture.timeRanOut(picture(), after: nil))
        #expect(news.line == "main: time ran out: choosingEpisode")
        #expect(PlainPicture.timeRanOut(picture(), after: news.at) == nil)
    }

    // MARK: Room

    @Test(arguments: [(10, 5), (20, 3), (1, 1), (60, 2), (200, 200)])
    func `The console never draws more lines or columns than fit`(columns: Int, rows: Int) {
        run("SEND main startPlaying")
        let lines = lines(of: "main", columns: columns, rows: rows)
        #expect(lines.count <= rows)
        #expect(lines.allSatisfy { $0.displayWidth < max(columns, 2) }, "\(lines)")
    }

    @Test(arguments: [24, 12, 8, 5, 3])
    func `The console keeps clocks and actions if lines are few`(rows: Int) {
        run("SEND main startPlaying")
        advance(.seconds(15))
        let lines = lines(of: "main", rows: rows)
        #expect(lines.count <= rows)
        #expect(lines.contains("  choosingEpisode ###########---------- 15.0 s"))
        #expect(lines.contains("  1  Choose episode… (episode: 1 to 4)"))
    }

    @Test func `The console omits blank lines and the bar first, then text, header, keys and title`() {
        run("SEND main startPlaying")
        advance(.seconds(15))
        let (clock, action) = ("  choosingEpisode ###########---------- 15.0 s", "  1  Choose episode… (episode: 1 to 4)")
        let home = "  2  Return home"
        let (head, keys) = ("main · game · choosingEpisode", "q leaves · space pauses · esc list")
        #expect(
            lines(of: "main", rows: 8) == [
                head, "Choose an episode", "There are four.", "-------------------- 0 %", clock, action, home, keys,
            ])
        #expect(lines(of: "main", rows: 6) == [head, "Choose an episode", clock, action, home, keys])
        #expect(lines(of: "main", rows: 4) == ["Choose an episode", clock, action, home])
        #expect(lines(of: "main", rows: 1) == ["15.0 s · 1 Choose episode… · 2 Return home"])
    }

    @Test func `An error and the typed text stay visible with few lines and few columns`() {
        run("SEND main startPlaying")
        advance(.seconds(15))
        var dialog = ConsoleDialog()
        _ = type("1", &dialog, at: "main")
        _ = type("4", &dialog, at: "main")
        dialog.complaint = "there is no episode 9; choose 1 to 4"
        #expect(
            lines(of: "main", dialog, columns: 20, rows: 5) == [
                "choosingEpi… 15.0 s", "  1  Choose episod…", "  2  Return home", "there is no episode", "Choose…> 4",
            ])
    }

    @Test(arguments: [30, 45, 50, 60, 80, 120])
    func `A clock's remaining time is never truncated from 30 to 120 columns`(columns: Int) {
        for line in ["startPlaying", "chooseEpisode 1", "chooseLevel 1"] { run("SEND main \(line)") }
        run("PAUSE main tick")
        let clocks = lines(of: "main", columns: columns).filter { $0.contains("timeLimit") || $0.contains("tick") }
        #expect(clocks.count == 2)
        #expect(clocks.allSatisfy { !$0.contains("…") }, "\(clocks)")
    }

    @Test func `Actions are shown side by side if there are more of them than lines`() {
        #expect(lines(of: "main", columns: 40, rows: 1) == ["1 Display help · 2 Start playing"])
        #expect(lines(of: "main", columns: 20, rows: 1) == ["1 Display help · 2…"])
    }

    @Test func `The console draws no control characters from a session's name`() throws {
        // A name from a version that did not restrict names.
        let machine = try #require(host.sessions.flow(named: "turns")).begin(on: host.timekeeper)
        host.sessions.readmit("\u{1b}[2Jevil\u{202e}\n\u{9b}31m", as: machine, life: 1, seq: 1)
        for line in lines(of: nil) + lines(of: "\u{1b}[2Jevil\u{202e}\n\u{9b}31m") {
            #expect(
                line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) && $0.value != 0x202e })
        }
    }

    @Test func `A countdown is rounded up, and shows tenths of a second below one minute`() {
        #expect(
            [.seconds(7_265), .seconds(90), .milliseconds(59_999), .milliseconds(50), .milliseconds(1), .zero].map(
                ConsoleScreen.text)
                == ["2:01:05", "1:30", "60.0 s", "0.1 s", "0.1 s", "0.0 s"])
    }
}

@Suite struct `A line typed at the console` {
    @Test(
        arguments: [
            ("chooseEpisode 3", .send(event: "chooseEpisode", payload: "3")),
            ("  chooseEpisode  {\"episode\": 3} \r", .send(event: "chooseEpisode", payload: "{\"episode\": 3}")),
            ("startPlaying", .send(event: "startPlaying", payload: nil)), ("@room", .show("room")), ("", nil),
            ("# why", nil), ("new room  game {\"state\": \"help\"}", .begin(["room", "game", "{\"state\": \"help\"}"])),
            ("NEW", .begin([])), ("q", .end), ("quit", .end), ("quit it", .send(event: "quit", payload: "it")),
            ("pause", .send(event: "pause", payload: nil)), ("resume", .pauseOrResume), ("list", .show(nil)),
        ] as [(String, ConsoleDialog.Intent?)])
    func `A line typed at the console is parsed as an event with its payload or as a console command`(
        line: String, intent: ConsoleDialog.Intent?
    ) {
        #expect(ConsoleDialog.Intent(line: line, events: ["pause"]) == intent)
    }

    @Test func `A line typed at the console is completed to the common prefix of all matching names`() {
        let names = ["startPlaying", "startOver", "displayHelp"]
        #expect(ConsoleDialog.completed("st", among: names) == "start")
        #expect(ConsoleDialog.completed("d", among: names) == "displayHelp")
        #expect(ConsoleDialog.completed("x", among: names) == "x")
    }
}
