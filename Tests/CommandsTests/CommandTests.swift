// Replies of commands, byte for byte.

import Commands
import Testing

@Suite struct `Replies of commands` {
    @Test func `An event overtaken by a timer is refused, and the error names the timer`() throws {
        try transcript(
            """
            > NEW room game
            < +introduction
            > SEND room startPlaying
            < +choosingEpisode
            > ADVANCE 30s
            < :1
            > SEND room chooseEpisode 1
            < -NOTRANSITION 'chooseEpisode' is not valid in 'introduction'; it accepts displayHelp, startPlaying; the timer 'choosingEpisode' moved it here 0 ms ago
            """, with: Conversation())
    }

    @Test func `A payload must be UTF-8 and within the limit`() throws {
        try transcript(
            #"""
            > NEW app startup
            < +launching
            > SEND app loginFailed "ab\xc3("
            < -BADEVENT the payload is not JSON: the text is not UTF-8 at byte 3
            > FORCE app launching "{\"a\":\"\xff\"}"
            < -BADEVENT the payload is not JSON: the text is not UTF-8 at byte 7
            > NEW other startup "\xc0\x80"
            < -BADEVENT the payload is not JSON: the text is not UTF-8 at byte 1
            > CONFIG SET payload-bytes 16
            < +OK
            > SEND app deepLink 0123456789abcdefg
            < -LIMIT a payload has at most 16 bytes, not 17; CONFIG SET payload-bytes N changes this limit, and so does the daemon's option --limit payload-bytes=N
            > SEND app deepLink 0123456789abcdef
            < +POSTPONED launching
            """#, with: Conversation())
    }

    @Test func `PAUSE, EXTEND and RESUME change a session's timers`() throws {
        try transcript(
            """
            > NEW hall turns
            < +first
            > PAUSE hall
            < +OK
            > ADVANCE 1h
            < :0
            > RESUME hall
            < +OK
            > EXTEND hall turn 1m30s
            < :120000
            > EXTEND hall turn -90000
            < :30000
            > PAUSE hall turn
            < +OK
            > ADVANCE 90s
            < :0
            > RESUME hall turn
            < +OK
            > ADVANCE 29999ms
            < :0
            > ADVANCE 1
            < :1
            > EXTEND hall bell 5s
            < -NOTIMER 'hall' has no timer 'bell' in 'second'; its timers: turn
            > EXTEND hall turn soon
            < -ERR 'soon' is not a duration; write it like 90s, 1m30s, 250ms, or a number of milliseconds
            > EXTEND hall turn -1h
            < :0
            > EVENTS hall
            < *1
            < $4
            < pass
            > ADVANCE 0
            < :0
            """, with: Conversation())
    }

    @Test(arguments: [
        ("fight.door.locked,fight.lamp.on", ["one"]), ("fight.door.locked", ["one"]), ("fight.lamp", ["one", "two"]),
        ("fight", ["one", "two"]), ("before", ["three"]), ("fig", []), ("door.locked", []),
        ("fight.lamp.on,fight.door.locked", []),
        ("fight.door.locked,fight.lamp.on.more", []),
    ])
    func `SESSIONS STATE finds sessions in parallel regions by each region's state and by states around it`(
        state: String, names: [String]
    ) throws {
        let host = try HostUnderTest(
            """
            { id: "raid", initial: "before", states: { before: { on: { go: "fight" } }, fight: { type: "parallel", states: {
                door: { initial: "locked", states: { locked: { on: { open: "open" } }, open: {} } },
                lamp: { initial: "on", states: { on: {} } } } } } }
            """)
        for name in ["one", "two", "three"] { host.run("NEW \(name) raid") }
        for line in ["SEND one go", "SEND two go", "SEND two open"] { host.run(line) }
        #expect(Set(host.run("SESSIONS 0 STATE \(state)").list.last?.list.compactMap(\.text) ?? ["?"]) == Set(names))
    }

    @Test func `NEW, SESSIONS, FORCE and DROP create, list, change and drop sessions`() throws {
        try transcript(
            """
            > NEW a turns
            < +first
            > NEW a turns
            < -EXISTS session 'a' already exists
            > NEW b chess
            < -NOFLOW there is no flow 'chess'; available: game, startup, registration, onboarding, permissions, turns
            > NEW b onboarding '{"state":"welcome"}'
            < +welcome
            > NEW c onboarding '{"state":"nowhere"}'
            < -BADEVENT 'onboarding' has no state 'nowhere'; available: accountLoader, accountUnavailable, welcome, deviceIdentification, performDeviceChecks, deviceReady
            > SESSIONS 0 FLOW turns COUNT 100
            < *2
            < $1
            < 0
            < *1
            < $1
            < a
            > FORCE b deviceIdentification
            < +deviceIdentification
            > SEND b deviceWasIdentified nonsense
            < -BADEVENT 'deviceWasIdentified' expects 'mac', a text: like AA:BB:CC:DD:EE:FF
            > DROP a
            < :1
            > DROP a
            < :0
            > STATE a
            < -NOSESSION there is no session 'a'; NEW a FLOW creates one
            """, with: Conversation())
    }

    @Test func `COMMAND INFO shows a command's flags by their Redis names`() throws {
        try transcript(
            """
            > COMMAND INFO exec send
            < *2
            < *7
            < $4
            < exec
            < :1
            < *1
            < +loading
            < :0
            < :0
            < :0
            < *0
            < *7
            < $4
            < send
            < :-3
            < *1
            < +write
            < :1
            < :1
            < :1
            < *0
            """, with: Conversation())
    }

    @Test func `COMMAND INFO replies null for an unknown command, in the place of its name`() throws {
        try transcript(
            """
            > COMMAND INFO nope echo nope
            < *3
            < $-1
            < *7
            < $4
            < echo
            < :2
            < *1
            < +loading
            < :0
            < :0
            < :0
            < *0
            < $-1
            > COMMAND INFO nope
            < *1
            < $-1
            """, with: Conversation())
    }

    @Test func `A command with wrong arguments is refused with its usage, and an unknown command as unknown`() throws {
        try transcript(
            """
            > SEND room
            < -ERR wrong number of arguments for 'SEND'; usage: SEND session event [payload] [IF version] [ID id]
            > NOSUCH
            < -ERR unknown command 'NOSUCH'; COMMAND LIST lists all commands
            """, with: Conversation())
    }

    @Test func `PAGE returns a login link if the daemon serves a page`() throws {
        let conversation = Conversation()
        try transcript(
            """
            > PAGE
            < -ERR there is no page; the daemon's option --http HOST:PORT serves one
            """, with: conversation)
        final class Page: LoginPage { let link = "http://127.0.0.1:7650/login?once=x" }
        let page = Page()
        conversation.page = page
        defer { withExtendedLifetime(page) {} }
        try transcript(
            """
            > PAGE
            < $34
            < http://127.0.0.1:7650/login?once=x
            """, with: conversation)
    }
}
