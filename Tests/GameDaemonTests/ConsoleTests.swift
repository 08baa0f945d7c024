// The console without a terminal: keys, what they mean, and how it looks.

import BuiltInFlows
import GameFlow
import RESP
import Terminal
import Testing
import Timers
@testable import Commands
@testable import Console
@testable import EventLoop
@testable import GameDaemon
@testable import Logging
@testable import Sessions
@testable import Texts

@Suite struct `The console` {
    private let daemon: Daemon
    private let clock = VirtualClock()

    init() throws {
        let flows: [FlowKind] = [.flow(Game.self), .flow(Turns.self)]
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
        return screen.lines(ConsolePicture(of: name, in: daemon.host), dialog).map(\.text)
    }

    private func run(_ words: String) {
        _ = LocalClient(of: daemon.host).run(words.split(separator: " ").map(String.init))
    }

    @Test func `shows where the session is, what is left, and what can be done`() {
        run("SEND main startPlaying")
        advance(.seconds(15))
        #expect(
            lines(of: "main") == [
                "main · game · choosingEpisode", "Choose an episode", "There are four.", "-------------------- 0 %", "",
                "  choosingEpisode ###########---------- 15.0 s", "", "  1  Choose episode… (episode: 1 to 4)", "",
                "l list · p pause · ctrl-c stop",
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
                "a key shows a session · ctrl-c stop",
            ])
        var dialog = ConsoleDialog()
        #expect(dialog.press(.character("2"), seeing: ConsolePicture(of: nil, in: daemon.host)) == .show("room"))
        #expect(dialog.press(.character("3"), seeing: ConsolePicture(of: nil, in: daemon.host)) == nil)
        #expect(dialog.press(.tab, seeing: ConsolePicture(of: "room", in: daemon.host)) == .showNext)
        #expect(dialog.press(.character("l"), seeing: ConsolePicture(of: "room", in: daemon.host)) == .show(nil))
        run("DROP main")
        run("DROP room")
        #expect(lines(of: "room").first == "There is no session.")
    }

    @Test func `asks for what an action needs, and sends it`() {
        run("SEND main startPlaying")
        let picture = ConsolePicture(of: "main", in: daemon.host)
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
        _ = dialog.press(.character("1"), seeing: ConsolePicture(of: "main", in: daemon.host))
        advance(.seconds(30))
        dialog.follow(ConsolePicture(of: "main", in: daemon.host))
        #expect(dialog.mode == .watching)
        #expect(lines(of: "main", dialog).contains("'chooseEpisode' is not possible any more"))
    }

    @Test func `escape takes back, ctrl-d ends, and other keys mean nothing`() {
        run("SEND main startPlaying")
        let picture = ConsolePicture(of: "main", in: daemon.host)
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
        #expect(lines.allSatisfy { $0.displayWidth < max(columns, 2) }, "\(lines)")
    }

    @Test func `shows a session's name without obeying control characters in it`() throws {
        // One from before there was a rule for names.
        let machine = try #require(daemon.sessions.flow(named: "turns")).begin(on: daemon.timekeeper)
        daemon.sessions.take("\u{1b}[2Jevil\u{202e}\n\u{9b}31m", machine, nil)
        for line in lines(of: nil) + lines(of: "\u{1b}[2Jevil\u{202e}\n\u{9b}31m") {
            #expect(
                line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) && $0.value != 0x202e })
        }
    }

    @Test func `counts down, rounded up`() {
        #expect(
            [.seconds(7_265), .seconds(90), .milliseconds(59_999), .milliseconds(50), .milliseconds(1), .zero].map(
                ConsoleScreen.text)
                == ["2:01:05", "1:30", "60.0 s", "0.1 s", "0.1 s", "0.0 s"])
    }
}

@Suite struct `The console through pipes` {
    @Test(arguments: [
        ("chooseEpisode 3", PlainOrder.send(event: "chooseEpisode", payload: "3")),
        ("  chooseEpisode  {\"episode\": 3} \r", .send(event: "chooseEpisode", payload: "{\"episode\": 3}")),
        ("startPlaying", .send(event: "startPlaying", payload: nil)), ("@room", .show("room")), ("", .nothing),
        ("# why", .nothing),
    ])
    func `parses an event and its payload from a line`(line: String, order: PlainOrder) {
        #expect(PlainOrder(line) == order)
    }
}
