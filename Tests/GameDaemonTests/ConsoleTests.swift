// The console without a terminal: keys, what they mean, and how it looks.

import GameFlow
import RESP
import Testing
import Timers

@testable import GameDaemon

@Suite struct `The console` {
    private let daemon: Daemon
    private let clock = VirtualClock()

    init() throws {
        let flows = [FlowType(setup: MachineSetup()) { Game(clock: $0) }, FlowType(setup: MachineSetup()) { Turns(clock: $0) }]
        daemon = try Daemon(on: Loop(Timekeeper(clock)), flows: flows)
        try daemon.begin("main", flow: "game")
    }

    private func advance(_ duration: Duration) {
        daemon.timekeeper.advance(clock, by: duration)
    }

    private func lines(
        of name: String?, _ dialog: ConsoleDialog = ConsoleDialog(), columns: Int = 60, rows: Int = 30
    ) -> [String] {
        let screen = ConsoleScreen(size: .init(columns: columns, rows: rows), glyphs: .ascii)
        return screen.lines(ConsolePicture(of: name, in: daemon), dialog).map(\.text)
    }

    private func run(_ words: String) {
        _ = LocalClient(of: daemon).run(words.split(separator: " ").map(String.init))
    }

    @Test func `shows where the session is, what is left, and what can be done`() {
        run("SEND main startPlaying")
        advance(.seconds(15))
        #expect(
            lines(of: "main") == [
                "main · game · choosingEpisode", "Choose an episode", "There are four.", "-------------------- 0 %", "",
                "  choosingEpisode ###########---------- 15.0 s", "", "  1  Choose episode… (episode: 1 to 4)", "",
                "l list · p pause · ctrl-c stop gamed",
            ])
        run("PAUSE main")
        #expect(lines(of: "main").contains("  choosingEpisode ###########---------- 15.0 s paused"))
        #expect(lines(of: "main").first == "main · game · choosingEpisode · paused")
    }

    @Test func `lets choose among several sessions, and says when there is none`() throws {
        try daemon.begin("room", flow: "turns")
        #expect(
            lines(of: nil) == [
                "Sessions", "  1  main  game · introduction", "  2  room  turns · first", "",
                "a key shows a session · ctrl-c stop gamed",
            ])
        var dialog = ConsoleDialog()
        #expect(dialog.press(.character("2"), seeing: ConsolePicture(of: nil, in: daemon)) == .show("room"))
        #expect(dialog.press(.character("3"), seeing: ConsolePicture(of: nil, in: daemon)) == nil)
        #expect(dialog.press(.tab, seeing: ConsolePicture(of: "room", in: daemon)) == .showNext)
        #expect(dialog.press(.character("l"), seeing: ConsolePicture(of: "room", in: daemon)) == .show(nil))
        run("DROP main")
        run("DROP room")
        #expect(lines(of: "room").first == "There is no session.")
    }

    @Test func `asks for what an action needs, and sends it`() {
        run("SEND main startPlaying")
        let picture = ConsolePicture(of: "main", in: daemon)
        var dialog = ConsoleDialog()
        #expect(dialog.press(.character("1"), seeing: picture) == nil)
        for key in [Key.character("4"), .character("2"), .backspace] { #expect(dialog.press(key, seeing: picture) == nil) }
        #expect(lines(of: "main", dialog).last == "Choose episode, episode: 1 to 4> 4")
        #expect(dialog.press(.enter, seeing: picture) == .send(event: "chooseEpisode", payload: "4"))
        #expect(dialog.mode == .watching)
    }

    @Test func `what is being typed is let go when it is not possible any more`() {
        run("SEND main startPlaying")
        var dialog = ConsoleDialog()
        _ = dialog.press(.character("1"), seeing: ConsolePicture(of: "main", in: daemon))
        advance(.seconds(30))
        dialog.follow(ConsolePicture(of: "main", in: daemon))
        #expect(dialog.mode == .watching)
        #expect(lines(of: "main", dialog).contains("'chooseEpisode' is not possible any more"))
    }

    @Test func `escape takes back, ctrl-d ends, and other keys mean nothing`() {
        run("SEND main startPlaying")
        let picture = ConsolePicture(of: "main", in: daemon)
        var dialog = ConsoleDialog()
        _ = dialog.press(.character("1"), seeing: picture)
        #expect(dialog.press(.escape, seeing: picture) == nil)
        #expect(dialog.mode == .watching)
        for key in [Key.character("9"), .character("€"), .enter, .other, .backspace, .tab] {
            #expect(dialog.press(key, seeing: picture) == nil)
            #expect(dialog.mode == .watching)
        }
        #expect(dialog.press(.end, seeing: picture) == .end)
    }

    @Test(arguments: [(10, 5), (20, 3), (1, 1), (60, 2), (200, 200)])
    func `never draws more than fits`(columns: Int, rows: Int) {
        run("SEND main startPlaying")
        let lines = lines(of: "main", columns: columns, rows: rows)
        #expect(lines.count <= max(rows, 3))
        #expect(lines.allSatisfy { TerminalText.width($0) < max(columns, 2) }, "\(lines)")
    }

    @Test func `shows a session's name without doing what it says`() throws {
        // One from before there was a rule for names.
        let machine = try #require(daemon.sessions.flow(named: "turns")).begin(on: daemon.timekeeper)
        daemon.sessions.take("\u{1b}[2Jevil\u{202e}\n\u{9b}31m", machine, nil)
        for line in lines(of: nil) + lines(of: "\u{1b}[2Jevil\u{202e}\n\u{9b}31m") {
            #expect(
                line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) && $0.value != 0x202e })
        }
    }

    @Test func `counts down and never shows what has not passed as passed`() {
        #expect(
            [.seconds(7_265), .seconds(90), .milliseconds(59_999), .milliseconds(50), .milliseconds(1), .zero].map(
                ConsoleScreen.text)
                == ["2:01:05", "1:30", "60.0 s", "0.1 s", "0.1 s", "0.0 s"])
    }
}

@Suite struct `Keys` {
    @Test(arguments: [
        ("a", [Key.character("a")]), ("é日😀", [.character("é"), .character("日"), .character("😀")]),
        ("\r\n\t\u{7f}\u{8}", [.enter, .enter, .tab, .backspace, .backspace]), ("\u{4}\u{15}\u{1}", [.end, .clear, .other]),
        ("\u{1b}", [.escape]), ("\u{1b}[Z", [.backTab]),
        ("\u{1b}[A\u{1b}OP\u{1b}[1;5Cx", [.other, .other, .other, .character("x")]),
    ])
    func `are read from what a terminal sends`(bytes: String, keys: [Key]) {
        var reader = KeyReader()
        #expect(reader.read(bytes.utf8) == keys)
    }

    @Test func `are read from pieces, and nonsense is no key`() {
        var reader = KeyReader()
        #expect(reader.read([0xe6]) == [])
        #expect(reader.read([0x97]) == [])
        #expect(reader.read([0xa5, 0xff, 0x61]).first == .character("日"))
        var other = KeyReader()
        #expect(other.read([0x80, 0x61]) == [.other, .character("a")])
    }
}

@Suite struct `The console through pipes` {
    @Test(arguments: [
        ("chooseEpisode 3", PlainOrder.send(event: "chooseEpisode", payload: "3")),
        ("  chooseEpisode  {\"episode\": 3} \r", .send(event: "chooseEpisode", payload: "{\"episode\": 3}")),
        ("startPlaying", .send(event: "startPlaying", payload: nil)), ("@room", .show("room")), ("", .nothing),
        ("# why", .nothing),
    ])
    func `takes an event and what it carries from a line`(line: String, order: PlainOrder) {
        #expect(PlainOrder(line) == order)
    }
}
