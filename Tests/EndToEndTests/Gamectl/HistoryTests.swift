// gamectl history, replay and backup against a real gamed.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `gamectl history and replay` {
    @Test func `The history lists each event with its time, and a replay ends in the recorded state`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=game"])
        let story = """
            send room startPlaying
            send room chooseLevel 1
            send room chooseEpisode 3
            advance 12s
            send room chooseLevel 5
            advance 1s
            send room completeLevel 70
            advance 15s
            """
        // The second event is refused.
        #expect(try daemon.gamectl(input: story).status == 1)
        let history = try daemon.gamectl("history", "room", "--count", "1000").output.split(separator: "\n")
        #expect(history[0].hasPrefix("WHEN ") && history[0].contains("AGO "))
        #expect(history[1].contains("  0s   timer (finishedLevel)  timeIsUp          finishedLevel -> choosingLevel"))
        #expect(history.last?.contains("  28s  ui (--session)         NEW               begun in introduction") == true)
        #expect(
            history.dropLast().last?.wholeMatch(
                of: #/.*  28s  network \(.+\) +startPlaying      introduction -> choosingEpisode/#) != nil, "\(history)")
        let refused = try #require(history.first { $0.contains("refused") })
        #expect(
            refused.hasSuffix("refused: 'chooseLevel' is not valid in 'choosingEpisode'; it accepts chooseEpisode, returnHome"))
        #expect(history.contains { $0.contains("chooseEpisode 3   choosingEpisode -> choosingLevel") })
        #expect(refused.firstMatch(of: #/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}  /#) != nil)

        let replay = try daemon.gamectl("replay", "room")
        #expect(replay.output == "room: 7 events, ends in 'choosingLevel' as recorded\n")
        #expect(replay.status == 0)
    }

    @Test func `A replay prints each event with --verbose, and one object with --json`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        _ = try daemon.gamectl(
            input: "send room pass\npause room\nresume room\npause room turn\nresume room turn\n"
                + "send room jump 3\nadvance 30s")
        #expect(
            try daemon.gamectl("replay", "--verbose", "room").output == """
                1  NEW from ui: begins in 'first'
                2  pass from network: first -> second
                3  PAUSE from network: paused
                4  RESUME from network: resumed
                5  PAUSE of the timer turn from network: paused
                6  RESUME of the timer turn from network: resumed
                7  jump 3 from network: refused with BADEVENT
                8  pass from the timer turn: second -> first
                room: 3 events, ends in 'first' as recorded

                """)
        #expect(
            try daemon.gamectl("replay", "room", "--json").output
                == #"{"session":"room","flow":"turns","agrees":true,"verdict":"agrees","events":3,"complete":true,"skipped":0,"recorded":"first","state":"first","at":null,"reason":null,"change":null}"#
                + "\n")
        let nobody = try daemon.gamectl("replay", "nobody")
        #expect(nobody.status == 1)
        #expect(nobody.errors.hasPrefix("gamectl: NOSESSION"))
        #expect(try daemon.gamectl("replay").status == 64)
    }

    @Test func `A history is replayed with its payloads after a crash`() throws {
        let directory = try DaemonDirectory()
        do {
            let daemon = try directory.daemon(["--durability", "always", "--time", "virtual"])
            _ = try daemon.gamectl(
                input: """
                    new room game '{"state":"choosingLevel","episode":2}'
                    send room chooseLevel 3
                    send room chooseLevel 3
                    advance 5s
                    force room finishedLevel '{"episode":1,"level":2,"score":100}'
                    new app startup
                    send app deepLink /news/7
                    send app didLaunch
                    """)
            daemon.signal(SIGKILL)
            _ = daemon.waitForEnd()
        }
        let daemon = try directory.daemon(["--time", "virtual"])
        let verbose = try daemon.gamectl("replay", "--verbose", "room")
        #expect(
            verbose.output == """
                1  NEW {"state":"choosingLevel","episode":2} from network: begins in 'choosingLevel'
                2  chooseLevel 3 from network: choosingLevel -> playingLevel
                3  chooseLevel 3 from network: refused with NOTRANSITION
                4  tick from the timer tick: playingLevel -> playingLevel, 5 times
                5  FORCE {"episode":1,"level":2,"score":100} from network: playingLevel -> finishedLevel
                room: 8 events, ends in 'finishedLevel' as recorded

                """)
        #expect(verbose.status == 0)
        #expect(try daemon.gamectl("replay", "app").status == 0)
        #expect(
            try directory.sqlite(
                "select event, payload from history where payload is not null and name = 'room' order by serial")
                    == """
                    |{"state":"choosingLevel","episode":2}
                    chooseLevel|3
                    chooseLevel|3
                    |{"episode":1,"level":2,"score":100}

                    """)
    }

    @Test func `A replay reproduces a state with a computed delay`() throws {
        let directory = try DaemonDirectory()
        let flow =
            #"{id:"slow",context:{n:3},events:{go:{}},initial:"idle",states:{idle:{on:{go:"wait"}},wait:{after:{"45m":{name:"soon",target:"idle",delay:"n * 60000"}}}}}"#
        let file = FileManager.default.temporaryDirectory.appending(path: "slow-\(UUID().uuidString.prefix(8)).json5")
        defer { try? FileManager.default.removeItem(at: file) }
        try flow.write(to: file, atomically: true, encoding: .utf8)
        let daemon = try directory.daemon(["--time", "virtual", "--flows", file.path])
        _ = try daemon.gamectl(input: "new room slow\nsend room go")
        let replay = try daemon.gamectl("replay", "room", "--flows", file.path)
        #expect(replay.output == "room: 1 event, ends in 'wait' as recorded\n" && replay.status == 0, "\(replay)")
    }

    @Test func `A replay of an altered history reports the first difference`() throws {
        let directory = try DaemonDirectory()
        do {
            let daemon = try directory.daemon(["--time", "virtual"])
            _ = try daemon.gamectl(input: "new room game\nsend room startPlaying\nsend room chooseEpisode 3\n")
            daemon.signal(SIGTERM)
            #expect(daemon.waitForEnd().status == 0)
        }
        _ = try directory.sqlite(
            "update history_blocks set checksum = null, entries = replace(entries, '\"3\"', '\"9\"')", readOnly: false)
        let daemon = try directory.daemon(["--time", "virtual"])
        let replay = try daemon.gamectl("replay", "room")
        #expect(
            replay.output == """
                room: differs at event 3 (chooseEpisode 9 from network): recorded 'choosingLevel', the flow refused it with BADEVENT: \
                'chooseEpisode' expects 'episode', a whole number: 1 to 4

                """)
        #expect(replay.status == 1)
    }
}

@Suite(.serialized) struct `gamectl backup` {
    @Test func `A backup made during writes starts a daemon with the same sessions and history`() throws {
        let directory = try DaemonDirectory()
        let daemon = try directory.daemon(["--durability", "always"])
        try Self.begin(10_000, at: daemon)
        // No timer fires in these sessions during the backup.
        for name in ["room-7", "room-9999"] { #expect(try daemon.gamectl("pause", name).status == 0) }
        let before = try daemon.gamectl("--json", "history", "room-7").output
        // Events are sent during the backup.
        let sender = try EventSender(daemon.socketPath)
        let copy = directory.path + "/monday.db"
        let made = try daemon.gamectl("backup", copy)
        let passes = sender.passesAndStop()
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.firstMatch(of: #/^\/.*monday\.db: \d+\.\d MB, in \d.*s\n$/#) != nil, "\(made.output)")
        #expect(passes > 0)
        let again = try daemon.gamectl("backup", copy)
        #expect(again.status == 1)
        #expect(
            again.errors == "gamectl: BACKUP \(copy) already exists; give the backup a new name\n"
        )

        let second = try DaemonDirectory()
        try second.startFrom(copy)
        let restored = try second.daemon([])
        #expect(try restored.gamectl("sessions").output.split(separator: "\n").count == 10_001)
        let after = try restored.gamectl("--json", "history", "room-7").output
        #expect(Self.withoutAgo(after) == Self.withoutAgo(before))
        #expect(try restored.gamectl("replay", "room-7").status == 0)
        #expect(try restored.gamectl("replay", "busy").status == 0)
        #expect(try restored.gamectl("state", "room-9999").output.contains("choosingLevel"))
        #expect(try second.sqlite("pragma integrity_check") == "ok\n")
    }

    @Test func `A backup contains every change that was acknowledged before it started`() throws {
        let directory = try DaemonDirectory()
        let daemon = try directory.daemon(["--durability", "everysec"])
        for round in 0..<5 {
            #expect(try daemon.gamectl("new", "room-\(round)", "turns").status == 0)
            let copy = directory.path + "/\(round).db"
            #expect(try daemon.gamectl("backup", copy).status == 0)
            let other = try DaemonDirectory()
            try other.startFrom(copy)
            #expect(try other.daemon([]).gamectl("sessions").output.split(separator: "\n").count == round + 1)
        }
    }

    @Test func `A backup reports its status, refuses reserved and invalid paths, and resolves relative ones`() throws {
        let directory = try DaemonDirectory()
        let daemon = try directory.daemon([])
        try transcript(
            """
            > BACKUP
            < *12
            < $4
            < path
            < $-1
            < $6
            < status
            < $4
            < none
            < $5
            < error
            < $-1
            < $8
            < progress
            < :0
            < $5
            < bytes
            < :0
            < $7
            < took_ms
            < :0
            """, to: daemon)
        let own = try daemon.gamectl("raw", "BACKUP", "gamed.db-journal")
        #expect(own.errors.contains("names that begin with gamed. belong to the daemon"))
        #expect(try daemon.gamectl("backup", "/nowhere/at/all.db").errors.contains("No such file or directory"))
        #expect(try daemon.gamectl("raw", "BACKUP", "here.db").status == 0)
        #expect(try directory.waitFor(directory.data + "/here.db"))
        #expect(daemon.complains("the backup \(directory.data)/here.db is complete"))
        let json = try daemon.gamectl("--json", "backup", directory.path + "/x.db").output
        #expect(json.hasPrefix(#"{"path":"\#(directory.path)/x.db","bytes":"#))
        let relative = try Program(
            "/bin/sh", ["-c", "cd \"$0\" && exec \"$1\" backup y.db", directory.path, gamectlPath],
            environment: ["GAMED_SOCKET": daemon.socketPath])
        #expect(relative.output.hasPrefix("\(directory.path)/y.db: "), "\(relative.errors)")
        let memory = try RunningDaemon.virtual()
        #expect(
            try memory.gamectl("backup", "z.db").errors
                == "gamectl: JOURNAL nothing is saved here: the daemon was started with --data none or --durability none\n")
    }

    private static func begin(_ count: Int, at daemon: RunningDaemon) throws {
        let wire = try TestClient(daemon.socketPath)
        for start in stride(from: 0, to: count, by: 250) {
            let rooms = start..<start + 250
            wire.send(
                rooms.map { "NEW room-\($0) game\r\nSEND room-\($0) startPlaying\r\nSEND room-\($0) chooseEpisode 2\r\n" }
                    .joined())
            for _ in rooms {
                #expect(wire.readLine() == "+introduction")
                #expect(wire.readLine() == "+choosingEpisode")
                #expect(wire.readLine() == "+choosingLevel")
            }
        }
    }

    /// Removes ages and times: ages grow between the two replies, and restored times are rounded to 1 ms.
    private static func withoutAgo(_ text: String) -> String {
        text.replacing(#/"(ago|at)_ms":\d+,/#, with: "")
    }
}

/// A temporary directory that contains a data directory.
private final class DaemonDirectory {
    private let folder: Folder
    var path: String { folder.path }
    var data: String { folder.data }

    init() throws { folder = try Folder() }

    /// Starts a daemon on the data directory and waits until it listens.
    func daemon(_ words: [String]) throws -> RunningDaemon {
        let own = FileManager.default.temporaryDirectory.appending(path: "gamed-\(UUID().uuidString.prefix(8))")
        let daemon = try RunningDaemon(
            ["--socket", own.appending(path: "gamed.sock").path, "--data", data] + words, in: own)
        try #require(daemon.readLine()?.contains("listens at") == true, "\(daemon.errors)")
        return daemon
    }

    func startFrom(_ backup: String) throws {
        try FileManager.default.createDirectory(
            atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try FileManager.default.copyItem(atPath: backup, toPath: data + "/gamed.db")
    }

    func sqlite(_ sql: String, readOnly: Bool = true) throws -> String {
        try Program("/usr/bin/sqlite3", (readOnly ? ["-readonly"] : []) + [data + "/gamed.db", sql]).output
    }

    func waitFor(_ file: String) throws -> Bool {
        for _ in 0..<500 where !FileManager.default.fileExists(atPath: file) { Thread.sleep(forTimeInterval: 0.02) }
        return FileManager.default.fileExists(atPath: file)
    }
}

/// A thread that sends `pass` events one after another until it is stopped.
private final class EventSender: @unchecked Sendable {
    private let wire: TestClient
    private let lock = NSLock()
    private var isOver = false
    private var count = 0
    private let ended = DispatchSemaphore(value: 0)

    init(_ socket: String) throws {
        wire = try TestClient(socket)
        wire.send("NEW busy turns\r\nSEND busy pass\r\n")
        try #require(wire.readLine() == "+first" && wire.readLine() == "+second")
        Thread.detachNewThread { [self] in
            play()
            ended.signal()
        }
    }

    private func play() {
        while !lock.withLock({ isOver }) {
            wire.send("SEND busy pass\r\n")
            guard wire.readLine().hasPrefix("+") else { return }
            lock.withLock { count += 1 }
        }
    }

    func passesAndStop() -> Int {
        lock.withLock { isOver = true }
        ended.wait()
        return count
    }
}
