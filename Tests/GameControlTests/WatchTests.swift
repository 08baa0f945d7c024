// `gamectl watch` without a terminal and without a daemon: messages, timers and the screen.

import GameFlow
import GamedClient
import Posix
import Texts
import RESP
import Testing

@testable import Client
@testable import GameControl

@Suite struct `An error of a connection` {
    @Test(arguments: [
        (ControlError.noDaemon(""), true, true),
        (.noConnection(because: .file(FileError("read", "/ca.pem", reason: "no"))), true, true),
        (.noConnection(because: .badFile("")), true, true), (.file(FileError("read", "/a", reason: "no")), false, false),
        (.badFile(""), false, false),
        (.refused(code: .loading, sentence: ""), false, true), (.refused(code: .noPermission, sentence: ""), false, false),
        (.refused(code: .clusterDown, sentence: ""), false, true), (.refused(code: .tryAgain, sentence: ""), false, true),
    ])
    func `A connection that cannot be made ends a script, and a watch tries again`(
        error: ControlError, endsScript: Bool, isRetried: Bool
    ) {
        #expect(error.endsScript == endsScript && error.maySubside == isRetried)
    }
}

@Suite struct `A message of a watch` {
    private func event(_ channel: String, _ json: String) -> WatchEvent? {
        WatchEvent(.push([.bulk(text: "pmessage"), .bulk(text: "session:*"), .bulk(text: channel), .bulk(text: json)]))
    }

    private func line(_ fields: String) -> String? {
        let json = #"{"session":"a","flow":"game","from":"help","to":"introduction","source":"network",\#(fields)}"#
        guard case .happened(let message)? = event("session:a", json) else { return nil }
        return message.line
    }

    @Test(arguments: [
        (#""what":"taken","event":"dismissHelp""#, "a  help -> introduction  dismissHelp (network)"),
        (#""what":"taken","event":"timeIsUp","timer":"help""#, "a  help -> introduction  timeIsUp (timer help)"),
        (#""what":"postponed","event":"later""#, "a  introduction  later (network) postponed"),
        (#""what":"waiting","event":"later""#, "a  introduction  later (network) waiting"),
        (#""what":"ignored","event":"later""#, "a  introduction  later (network) ignored"),
        (
            #""what":"refused","event":"x","code":"NOTRANSITION","refused":"not now""#,
            "a  introduction  x (network) refused: not now"
        ),
        (#""what":"begun","event":"NEW""#, "a  begun in introduction (game)"),
        (#""what":"forced","event":null,"actor":"ann""#, "a  help -> introduction  FORCE (ann)"),
        (#""what":"paused","event":null"#, "a  introduction  PAUSE (network)"),
        (#""what":"resumed","timer":"tick""#, "a  introduction  RESUME tick (network)"),
        (#""what":"extended","timer":"tick","actor":"ann""#, "a  introduction  EXTEND tick (ann)"),
        (#""what":"dropped""#, "a  dropped"),
        (#""what":"taken","event":"\u001b[2J""#, "a  help -> introduction  \\u{1b}[2J (network)"),
    ])
    func `A message of a watch is printed as a line`(fields: String, words: String) throws {
        #expect(line(fields) == words)
    }

    @Test func `A message that a watch does not know is ignored`() {
        #expect(line("broken") == nil)
        #expect(line(#""what":"something new""#) == nil)
        #expect(WatchEvent(.push([.bulk(text: "psubscribe"), .bulk(text: "session:*"), .integer(1)])) == nil)
    }

    @Test func `A view in a message of a watch includes the timers that run in it`() {
        let json = """
            {"session":"room","flow":"game","state":"help","life":1,"version":2,"paused":false,"final":false,"timers":[
            {"name":"help","kind":"countdown","remaining_ms":5000,"length_ms":60000,"period_ms":null,"paused":false},
            {"name":"tick","kind":"pendulum","remaining_ms":500,"length_ms":1000,"period_ms":1000,"paused":true}]}
            """
        guard case .view("room", let session?)? = event("view:room", json) else { return #expect(Bool(false)) }
        #expect(session.timers.map(\.name) == ["help", "tick"] && session.timers.map(\.isPaused) == [false, true])
        #expect(session.timers.map { $0.remaining(at: $0.received) } == [.seconds(5), .milliseconds(500)])
        #expect(session.timers.map(\.length) == [.seconds(60), .seconds(1)])
        #expect(session.timers.map(\.period) == [nil, .seconds(1)])
    }

    @Test func `A message of a watch has no view once the session is gone`() {
        guard case .view("room", nil)? = event("view:room", "null") else { return #expect(Bool(false)) }
    }

    @Test func `A session that another node has now ends its views with a message`() {
        let end = { (channel: String) in
            WatchEvent(.push([.bulk(text: "unsubscribe"), .bulk(text: channel), .integer(0)]))
        }
        guard case .viewsEnded("room")? = end("view:room") else { return #expect(Bool(false)) }
        #expect(end("session:room") == nil)
    }
}

@Suite struct `The views that a watch follows` {
    private static let isFollowed = Reply.push([.bulk(text: "subscribe"), .bulk(text: "view:"), .integer(1)])

    @Test func `Each name is subscribed to alone, and one that is no longer visible is unsubscribed from`() throws {
        var views = FollowedViews()
        var asked: [[String]] = []
        let ask = { (requests: [[String]]) throws(ControlError) -> [Reply] in
            asked = requests
            return requests.map { _ in Self.isFollowed }
        }
        _ = try views.update(to: ["a", "b"], asking: ask)
        #expect(asked == [["SUBSCRIBE", "view:a"], ["SUBSCRIBE", "view:b"]] && views.names == ["a", "b"])
        let changes = try views.update(to: ["b", "c"], asking: ask)
        #expect(asked == [["UNSUBSCRIBE", "view:a"], ["SUBSCRIBE", "view:c"]] && views.names == ["b", "c"])
        #expect(changes.unfollowed == ["a"] && changes.moved.isEmpty)
        views.remove("b")
        _ = try views.update(to: ["b", "c"], asking: ask)
        #expect(asked == [["SUBSCRIBE", "view:b"]])
    }

    @Test func `A session at another node keeps no others from being followed, and one without a node is tried again`() throws {
        var views = FollowedViews()
        let replies = ["a": ErrorCode.moved, "b": .clusterDown, "c": .tryAgain, "d": .noPermission]
        let changes = try views.update(to: ["a", "b", "c", "d", "e"]) { requests throws(ControlError) in
            requests.map { words in replies[String(words[1].suffix(1))].map { .error(code: $0, text: "") } ?? Self.isFollowed }
        }
        #expect(changes.moved == ["a"] && views.names == ["d", "e"])
    }

    @Test func `No view is followed while the daemon is away`() throws {
        var views = FollowedViews()
        _ = try views.update(to: ["a"]) { _ throws(ControlError) in [] }
        #expect(views.names.isEmpty)
    }
}

/// A view's timer, with times in milliseconds.
private func timer(_ name: String, left: Int, length: Int, isPendulum: Bool = false, isPaused: Bool = false) -> String {
    """
    {"name":"\(name)","remaining_ms":\(left),"length_ms":\(length),"period_ms":\(isPendulum ? "\(length)" : "null"),\
    "paused":\(isPaused)}
    """
}

/// A view of a session, received at an instant.
private func view(
    _ name: String, _ timers: [String] = [], isPaused: Bool = false, isFinal: Bool = false,
    at received: ContinuousClock.Instant = .now
) throws -> SessionView {
    let text = """
        {"session":"\(name)","flow":"game","state":"help","life":1,"version":0,"paused":\(isPaused),"final":\(isFinal),\
        "timers":[\(timers.joined(separator: ","))]}
        """
    return try #require(SessionView(JSON(parsing: text), received: received))
}

@Suite struct `A timer that is watched` {
    private func left(_ timer: String, after milliseconds: Int) throws -> Duration {
        let shown = try #require(view("room", [timer]).timers.first)
        return shown.remaining(at: shown.received + .milliseconds(milliseconds))
    }

    @Test func `A watched timer counts down without messages, and stops at zero`() throws {
        let lobby = timer("lobby", left: 10_000, length: 30_000)
        #expect(try left(lobby, after: 4_000) == .seconds(6))
        #expect(try left(lobby, after: 11_000) == .zero)
    }

    @Test func `A watched pendulum starts its next period without messages`() throws {
        let tick = timer("tick", left: 300, length: 1_000, isPendulum: true)
        #expect(try left(tick, after: 200) == .milliseconds(100))
        #expect(try left(tick, after: 2_500) == .milliseconds(800))
    }

    @Test func `A watched timer that is paused keeps its remaining time`() throws {
        #expect(try left(timer("lobby", left: 10_000, length: 30_000, isPaused: true), after: 100_000) == .seconds(10))
    }

    @Test(arguments: [
        (0, "0.0s"), (1, "0.1s"), (9_300, "9.3s"), (59_950, "1m00s"), (60_000, "1m00s"), (90_001, "1m31s"),
        (7_500_000, "2h05m"),
        (273_600_000, "3d04h"), (9_223_372_036_854, "106751d23h"), (.max, "106751d23h"),
    ])
    func `A watched timer's time is shown with two units at most, and never rounded down`(milliseconds: Int, text: String) {
        #expect(BriefDuration.text(.milliseconds(milliseconds)) == text)
    }

    @Test(arguments: [(10, "██████████"), (5, "█████·····"), (0, "··········")])
    func `A watched timer is drawn as a bar`(left: Int, drawn: String) {
        let bar = Bar(style: .plain, isUnicode: true)
        #expect(bar.drawn(.seconds(left), of: .seconds(10), width: 10, isPaused: false) == drawn)
    }

    @Test func `A bar is drawn in eighths of a column, or in ASCII where there is no Unicode`() {
        let bar = Bar(style: .plain, isUnicode: true)
        #expect(bar.drawn(.milliseconds(5_250), of: .seconds(10), width: 10, isPaused: false) == "█████▎····")
        #expect(
            Bar(style: .plain, isUnicode: false).drawn(
                .seconds(5), of: .seconds(10), width: 4, isPaused: false) == "[##  ]")
    }
}

@Suite struct `The screen of watched sessions` {
    private let now = ContinuousClock.now

    private func board(_ names: [String]) -> WatchBoard {
        var board = WatchBoard(title: "of the daemon at /it", style: .plain, isUnicode: true)
        board.show(Set(names))
        return board
    }

    @Test func `The screen shows each session with its timers, which count down`() throws {
        var board = board(["room"])
        let timers = [
            timer("limit", left: 10_000, length: 10_000), timer("tick", left: 1_000, length: 1_000, isPendulum: true),
        ]
        board.know(try view("room", timers, at: now))
        #expect(
            board.lines(width: 50, height: 10, now: now + .milliseconds(5_500)) == [
                "1 session  of the daemon at /it", "",
                "room  game  help  ███████▊·········    4.5s  limit",
                "                  ████████▌········    0.5s  tick", "",
            ])
    }

    @Test func `A watched timer that was extended beyond its length fills the bar`() throws {
        var board = board(["room"])
        board.know(try view("room", [timer("limit", left: 90_000, length: 30_000)], at: now))
        let line = { (seconds: Int) in board.lines(width: 50, height: 10, now: now + .seconds(seconds))[2] }
        #expect(line(0) == "room  game  help  █████████████████   1m30s  limit")
        #expect(line(45) == "room  game  help  ████████▌········   45.0s  limit")
    }

    @Test func `The screen marks paused clocks and final sessions`() throws {
        var board = board(["a", "b", "c"])
        board.know(try view("a", [timer("t", left: 1_000, length: 1_000, isPaused: true)], isPaused: true, at: now))
        board.know(try view("b", isPaused: true, at: now))
        board.know(try view("c", isFinal: true, at: now))
        let lines = board.lines(width: 80, height: 10, now: now + .seconds(3_600))
        #expect(lines[2].hasSuffix("1.0s  t paused"))
        #expect(lines[3].hasSuffix("help  paused"))
        #expect(lines[4].hasSuffix("help  final"))
    }

    @Test func `Timers on the screen do not count down in virtual time`() throws {
        var board = board(["a"])
        board.timePasses = false
        board.know(try view("a", [timer("t", left: 9_000, length: 9_000)], at: now))
        #expect(board.lines(width: 80, height: 10, now: now + .seconds(5))[2].contains("9.0s"))
        #expect(!board.isRunning(in: 10))
    }

    @Test func `The screen shows the sessions that fit, in natural order, and counts the others`() {
        var board = board((1...5_000).map { "room-\($0)" })
        var lines = board.lines(width: 80, height: 12, now: now)
        #expect(lines.count == 12)
        #expect(lines[0].hasPrefix("5000 sessions"))
        #expect(lines[3].hasPrefix("room-2"))
        #expect(lines[11].hasPrefix("4991 more below"))
        board.scroll(by: 4_995)
        lines = board.lines(width: 80, height: 12, now: now)
        #expect(lines[2].hasPrefix("room-4996"))
        #expect(lines.last == "4995 more above")
        board.scroll(by: -10_000)
        #expect(board.lines(width: 80, height: 12, now: now)[2].hasPrefix("room-1"))
    }

    @Test(arguments: [(1, 1), (10, 3), (20, 5), (40, 12), (200, 60)])
    func `The screen is never higher than the terminal, and not wider if there is room for the names`(
        width: Int, height: Int
    ) throws {
        var board = board(["a", "b", "a name that goes on and on"])
        let timers = (1...4).map { timer("timer \($0)", left: 1_000 * $0, length: 9_000, isPaused: true) }
        for name in board.names { board.know(try view(name, timers, at: now)) }
        let lines = board.lines(width: width, height: height, now: now)
        #expect(lines.count <= max(4, height))
        if width >= 80 { #expect(lines.allSatisfy { $0.displayWidth <= width }) }
    }

    @Test func `The screen shows a notice about the daemon below the title`() {
        var board = board(["a"])
        board.notice = "the daemon is away"
        #expect(board.lines(width: 80, height: 9, now: now)[1] == "the daemon is away")
        #expect(board.lines(width: 8, height: 9, now: now)[1] == "the dae…")
    }

    @Test func `The screen removes dropped sessions`() {
        var board = board(["a", "b"])
        board.scroll(by: 1)
        board.show(["a"])
        #expect(board.lines(width: 80, height: 9, now: now)[2].hasPrefix("a"))
        board.show([])
        #expect(board.lines(width: 80, height: 9, now: now).last?.hasPrefix("there are no sessions; create one") == true)
    }
}

@Suite struct `Names in order` {
    @Test func `Names with digits are sorted by their numbers`() {
        let names = ["room-10", "room-2", "a", "room-02b", "2", "room-2b", "10", "room"]
        #expect(
            names.sorted { NaturalOrder($0) < NaturalOrder($1) } == [
                "2", "10", "a", "room", "room-2", "room-02b", "room-2b", "room-10",
            ])
    }
}
