// Simulated Bluetooth devices of a real daemon: commands, recordings, and their replay.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `Simulated Bluetooth` {
    private static let devices = packageRoot.appending(path: "Examples/devices.json").path
    private static let sessions = ["--session", "main=game", "--session", "hall=turns", "--bluetooth", devices]

    /// Records the use of all devices of the example to a file.
    private func record(to path: String) throws {
        let daemon = try RunningDaemon.virtual(Self.sessions + ["--bluetooth-record", path])
        try transcript(
            """
            > BLUETOOTH NOTIFY turn-button
            < :1
            > ADVANCE 1500ms
            < :0
            > BLUETOOTH ADVERTISE welcome-beacon
            < :1
            > BLUETOOTH ADVERTISE welcome-beacon
            < :0
            > SEND main dismissHelp
            < +introduction
            > BLUETOOTH NOTIFY red-button
            < :1
            > BLUETOOTH CONNECT keypad
            < +OK
            > BLUETOOTH NOTIFY keypad 0x0021 0103
            < :1
            > BLUETOOTH DISCONNECT keypad
            < +OK
            """, to: daemon)
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd().status == 0)
    }

    @Test func `Simulated devices follow BLUETOOTH commands, and invalid commands get an error`() throws {
        try transcript(
            """
            > BLUETOOTH NOTIFY turn-button
            < :1
            > BLUETOOTH NOTIFY turn-button 0x002A released
            < :0
            > BLUETOOTH DISCONNECT turn-button
            < +OK
            > BLUETOOTH NOTIFY turn-button
            < -NOTCONNECTED 'turn-button' is not connected, so it cannot send a notification; BLUETOOTH CONNECT turn-button connects it
            > SEND hall pass
            < +first
            > BLUETOOTH CONNECT turn-button
            < +OK
            > BLUETOOTH NOTIFY turn-button
            < :1
            > SEND hall pass
            < +first
            > BLUETOOTH NOTIFY keypad 0x0021 0103
            < -NOTCONNECTED 'keypad' is not connected, so it cannot send a notification; BLUETOOTH CONNECT keypad connects it
            > BLUETOOTH CONNECT keypad
            < +OK
            > BLUETOOTH NOTIFY keypad 0x0021 0103
            < :0
            > HISTORY main COUNT 1
            < *1
            < *32
            < $5
            < at_ms
            < …
            < $6
            < ago_ms
            < :0
            < $6
            < source
            < $9
            < bluetooth
            < $5
            < event
            < $13
            < chooseEpisode
            < $7
            < payload
            < $1
            < 3
            < $5
            < timer
            < $-1
            < $4
            < from
            < $12
            < introduction
            < $2
            < to
            < $12
            < introduction
            < $7
            < version
            < :0
            < $4
            < code
            < $12
            < NOTRANSITION
            < $7
            < refused
            < $84
            < 'chooseEpisode' is not valid in 'introduction'; it accepts displayHelp, startPlaying
            < $8
            < accepted
            < *2
            < $11
            < displayHelp
            < $12
            < startPlaying
            < $4
            < what
            < $7
            < refused
            < $5
            < actor
            < $6
            < keypad
            < $3
            < seq
            < :2
            < $5
            < times
            < :1
            > BLUETOOTH
            < -ERR wrong number of arguments for 'BLUETOOTH'; usage: BLUETOOTH LIST|CONNECT device|DISCONNECT device|NOTIFY device [handle] [value]|ADVERTISE device [value]
            """, to: .virtual(Self.sessions))
    }

    @Test func `A recording is replayed in real time`() throws {
        let folder = try Folder()
        try record(to: folder.path + "/evening.btsnoop")
        let socket = folder.path + "/gamed.sock"
        let started = ContinuousClock.now
        let daemon = try RunningDaemon(
            ["--socket", socket] + Self.sessions + ["--bluetooth-replay", folder.path + "/evening.btsnoop"],
            in: URL(fileURLWithPath: folder.path))
        #expect(daemon.readLine()?.contains("listens at") == true)
        let wire = try TestClient(socket)
        wire.send("PSUBSCRIBE session:main\r\n")
        var seen = ""
        while !seen.contains(#""to":"help""#) {
            let byte = wire.read(1)
            guard !byte.isEmpty else { break }
            seen += byte
        }
        #expect(seen.contains(#""event":"displayHelp","source":"bluetooth""#), "\(seen)")
        #expect(ContinuousClock.now - started >= .milliseconds(1_500))
    }

    @Test func `A recording is decoded by tshark into connections, notifications and advertisements`() throws {
        let folder = try Folder()
        try record(to: folder.path + "/evening.btsnoop")
        let shown = try Program(
            "tshark",
            ["-r", folder.path + "/evening.btsnoop", "-T", "fields", "-e", "frame.time_relative", "-e", "_ws.col.Info"])
        #expect(shown.status == 0, "tshark is what `make deps-test` installs")
        let text = shown.output
        #expect(!text.contains("Malformed"))
        let lines = text.split(separator: "\n").map { $0.replacing("\t", with: " ") }
        #expect(lines.count == 19)
        for (number, line) in [
            (0, "0.000000000 Rcvd LE Meta (LE Connection Complete)"),
            (1, "0.000000000 Sent Exchange MTU Request, Client Rx MTU: 517"),
            (9, "0.000000000 Rcvd Handle Value Notification, Handle: 0x002a (Unknown)"),
            (10, "1.500000000 Rcvd LE Meta (LE Advertising Report)"),
            (12, "1.500000000 Rcvd Handle Value Indication, Handle: 0x0010 (Unknown)"),
            (13, "1.500000000 Sent Handle Value Confirmation, Handle: 0x0010 (Unknown)"),
            (17, "1.500000000 Rcvd Handle Value Notification, Handle: 0x0021 (Unknown)"),
            (18, "1.500000000 Rcvd Disconnect Complete"),
        ] where number < lines.count { #expect(lines[number] == line) }
    }

    @Test(
        arguments: [
            (["--bluetooth-replay", "x"], 64, "a replay or a recording needs devices: --bluetooth FILE defines them"),
            (
                ["--bluetooth", devices, "--bluetooth-replay", "/dev/zero"], 65,
                "cannot read /dev/zero: it is not a regular file"
            ),
        ] as [([String], Int32, String)])
    func `A start with an invalid Bluetooth file fails with an error`(words: [String], status: Int32, sentence: String) throws {
        let folder = try Folder()
        let end = try RunningDaemon(["--socket", folder.path + "/gamed.sock"] + words).waitForEnd()
        #expect(end.status == status)
        #expect(end.errors == "gamed: \(sentence)\n")
    }
}
