// Timers of the built-in flows, in virtual time.

import BuiltInFlows
import GameFlow
import Testing
import Timers

@Suite struct `Timing of the game` {
    private func game() throws -> FlowUnderTest<Game> {
        try FlowUnderTest { Game(clock: $0) }
    }

    @Test func `Choosing an episode in time prevents the return to the introduction`() throws {
        let game = try game()
        try game.send(.startPlaying)
        game.advance(.seconds(29.999))
        try game.send(.chooseEpisode(3))
        game.advance(.seconds(1))
        #expect(game.state == "choosingLevel")
    }

    @Test func `The game returns page by page to the introduction while the player chooses nothing`() throws {
        let game = try game()
        try game.send(.startPlaying)
        try game.send(.chooseEpisode(3))
        game.advance(.seconds(30))
        #expect(game.state == "choosingEpisode")
        game.advance(.seconds(30))
        #expect(game.state == "introduction")
        #expect(game.advance(.seconds(100_000)) == 0)
    }

    @Test func `The help page closes after one minute`() throws {
        let game = try game()
        try game.send(.displayHelp)
        game.advance(.seconds(60) - .nanoseconds(1))
        #expect(game.state == "help")
        game.advance(.nanoseconds(1))
        #expect(game.state == "introduction")
    }

    @Test func `A level ticks every second without disturbing its countdown, and ends with a score of 0`() throws {
        let game = try game()
        try game.send(.startPlaying)
        try game.send(.chooseEpisode(1))
        try game.send(.chooseLevel(5))
        game.advance(.seconds(119.5))
        #expect(try game.machine.stateData()["play"]?["seconds"] == 119)
        #expect(game.remaining("timeLimit") == .milliseconds(500) && game.remaining("tick") == .milliseconds(500))
        game.advance(.milliseconds(500))
        guard case .finishedLevel(1, 5, 0, nil, _) = game.machine.state else { Issue.record("\(game.state)"); return }
        #expect(game.remaining("tick") == nil && game.machine.timers.count == 1)
        game.advance(.seconds(15))
        guard case .choosingLevel(1, nil, _) = game.machine.state else { Issue.record("\(game.state)"); return }
    }

    @Test func `Time in a state counts from its entry, and a tick is not an entry`() throws {
        let game = try game()
        try game.send(.startPlaying)
        try game.send(.chooseEpisode(1))
        game.advance(.seconds(2))
        try game.send(.chooseLevel(5))
        game.advance(.seconds(10))
        #expect(game.machine.since == Instant(nanoseconds: 2_000_000_000))
        #expect(game.machine.version == 13)
    }

    @Test(arguments: [
        (Game.Event.chooseEpisode(5), "choosingEpisode", "'episode' is a whole number: 1 to 4, and not 5"),
        (.chooseEpisode(0), "choosingEpisode", "'episode' is a whole number: 1 to 4, and not 0"),
        (.chooseEpisode(.max), "choosingEpisode", "'episode' is a whole number: 1 to 4, and not 9223372036854775807"),
        (.chooseLevel(6), "choosingLevel", "'level' is a whole number: 1 to 5, and not 6"),
        (.chooseLevel(-1), "choosingLevel", "'level' is a whole number: 1 to 5, and not -1"),
        (.completeLevel(score: -1), "playingLevel", "'score' is a whole number: 0 to 2147483647, and not -1"),
        (
            .completeLevel(score: .max), "playingLevel",
            "'score' is a whole number: 0 to 2147483647, and not 9223372036854775807"
        ),
    ])
    func `A number outside its range is refused with an error message and changes nothing`(
        event: Game.Event, state: String, sentence: String
    )
        throws
    {
        let data: JSON = ["episode": 2, "level": 1, "play": ["seconds": 4]]
        let game = try FlowUnderTest({ Game(clock: $0) }, startingIn: state, data: data)
        game.advance(.milliseconds(100))
        let before = Snapshot(game.machine)
        let error = #expect(throws: Refusal.self) { try game.send(event) }
        #expect(error?.description == sentence)
        #expect(Snapshot(game.machine) == before)
    }

    @Test func `The refusal of an event lists the accepted events`() throws {
        let game = try game()
        let error = #expect(throws: Refusal.self) { try game.send(.chooseLevel(1)) }
        #expect(error?.kind == .transitionNotFound)
        #expect(error?.description == "'chooseLevel' is not valid in 'introduction'; it accepts displayHelp, startPlaying")
        withExtendedLifetime(game) {}
    }

    @Test func `An event that only a timer may send is refused from a client`() throws {
        let game = try game()
        try game.send(.displayHelp)
        let error = #expect(throws: Refusal.self) { try game.send(.timeIsUp, from: .network) }
        #expect(error?.kind == .notAllowed)
        #expect(error?.description == "'timeIsUp' cannot come from network; it comes from timer")
        #expect(game.state == "help")
    }

    @Test func `A frozen game's timers do not run until it is resumed`() throws {
        let game = try game()
        try game.send(.displayHelp)
        game.advance(.seconds(59))
        game.machine.clock.freeze()
        game.advance(.seconds(86_400))
        #expect(game.state == "help" && game.remaining("help") == .seconds(1))
        game.machine.clock.resume()
        game.advance(.seconds(1))
        #expect(game.state == "introduction")
    }
}

@Suite struct `Timing of the other flows` {
    @Test func `A turn passes after 30 seconds without an event`() throws {
        let turns = try FlowUnderTest { Turns(clock: $0) }
        turns.advance(.seconds(29))
        try turns.send(.pass)
        turns.advance(.seconds(29.999))
        #expect(turns.state == "second")
        turns.advance(.seconds(0.001))
        #expect(turns.state == "first")
        #expect(turns.advance(.seconds(3_600)) == 120)
    }

    @Test(arguments: ["createProfile", "facebookProfile", "selectAvatar", "termsAndConditions"])
    func `A registration page returns to the login after 15 minutes without an event`(page: String) throws {
        let registration = try FlowUnderTest({ Registration(clock: $0) }, startingIn: page)
        registration.advance(.seconds(899))
        #expect(registration.state == page)
        registration.advance(.seconds(1))
        #expect(registration.state == "login")
        #expect(registration.advance(.seconds(86_400)) == 0)
    }

    @Test(arguments: [Registration.Event.facebookRegister, nil])
    func `Back from the avatar page leads to the page that the user came from`(detour: Registration.Event?) throws {
        let registration = try FlowUnderTest { Registration(clock: $0) }
        try registration.send(.next)
        if let detour { try registration.send(detour) }
        let origin = registration.state
        try registration.send(.enterProfile(name: "Ann", email: nil))
        try registration.send(.back)
        #expect(registration.state == origin)
    }

    @Test func `Back twice leads two pages back, also after a restart, and not beyond the first page`() throws {
        let registration = try FlowUnderTest(Registration.self)
        for event in [Registration.Event.next, .facebookRegister, .enterProfile(name: "Ann", email: nil)] {
            try registration.send(event)
        }
        try registration.send(.back)
        #expect(registration.state == "facebookProfile")
        let data = try registration.machine.stateData()
        let restored = try FlowUnderTest(Registration.self, startingIn: registration.state, data: data)
        for session in [registration, restored] {
            try session.send(.back)
            #expect(session.state == "createProfile")
            try session.send(.back)
            #expect(session.state == "login")
            let refusal = #expect(throws: Refusal.self) { try session.send(.back) }
            #expect(refusal?.kind == .transitionNotFound)
        }
    }

    @Test func `Back follows the table if the path to a page is unknown`() throws {
        let registration = try FlowUnderTest(Registration.self, startingIn: "selectAvatar")
        try registration.send(.back)
        #expect(registration.state == "createProfile")
    }

    @Test func `Back does not lead to a page that was left by its timer`() throws {
        let registration = try FlowUnderTest(Registration.self)
        try registration.send(.next)
        registration.advance(.seconds(900))
        #expect(registration.state == "login" && registration.machine.state.trail.isEmpty)
    }

    @Test func `A registration shows the values entered on the page that Back leads to`() throws {
        let registration = try FlowUnderTest(Registration.self)
        try registration.send(.next)
        try registration.send(.enterProfile(name: "Ann", email: "ann@example.org"))
        try registration.send(.chooseAvatar("owl"))
        for text in ["Your picture: owl.", "You are Ann, ann@example.org."] {
            try registration.send(.back)
            #expect(registration.machine.screen.text == text)
        }
        for event in [Registration.Event.next, .next, .consent(terms: true, newsletter: true)] { try registration.send(event) }
        #expect(registration.state == "finished")
        let values = registration.machine.state.values
        #expect(values.name == "Ann" && values.avatar == "owl" && values.terms == true && values.newsletter == true)
    }

    @Test func `A registration without consent is refused with an error that names the field to send`() throws {
        let registration = try FlowUnderTest(Registration.self, startingIn: "termsAndConditions", data: ["name": "Ann"])
        let refusal = #expect(throws: Refusal.self) { try registration.send(.consent(terms: false, newsletter: true)) }
        #expect(
            refusal?.description == "the terms are not accepted: send terms as true, or go back")
        #expect(registration.state == "termsAndConditions" && registration.machine.state.values.newsletter == nil)
    }

    @Test(arguments: [Registration.Event.back, nil])
    func `A registration discards the entered values when it returns to the first page`(way: Registration.Event?) throws {
        let registration = try FlowUnderTest(
            Registration.self, startingIn: "createProfile", data: ["origin": "login", "name": "Ann"])
        if let way { try registration.send(way) } else { registration.advance(.seconds(900)) }
        #expect(registration.state == "login" && registration.machine.state.values.name == nil)
    }

    @Test func `A level counts the seconds of missed swings`() throws {
        let game = try FlowUnderTest(
            Game.self, startingIn: "playingLevel", data: ["episode": 1, "level": 1, "play": ["seconds": 0]])
        game.advance(.seconds(3))
        game.stall(.seconds(5))
        guard case .playingLevel(_, _, _, let play) = game.machine.state else { Issue.record("\(game.state)"); return }
        #expect(play.seconds == 8 && game.machine.version == 4, "the pendulum has swung once for five")
        game.advance(.seconds(2))
        guard case .playingLevel(_, _, _, let later) = game.machine.state else { Issue.record("\(game.state)"); return }
        #expect(later.seconds == 10)
    }

    @Test func `A finished registration accepts no events`() throws {
        let registration = try FlowUnderTest { Registration(clock: $0) }
        try registration.send(.login)
        #expect(registration.machine.isFinal && registration.machine.acceptedEvents.isEmpty)
        let error = #expect(throws: Refusal.self) { try registration.send(.next) }
        #expect(error?.description == "'next' is not valid in 'finished'; it accepts no events")
    }

    @Test func `An account load times out after 10 seconds despite progress, and can be retried`() throws {
        let onboarding = try FlowUnderTest { Onboarding(clock: $0) }
        onboarding.advance(.seconds(6))
        try onboarding.send(.accountLoading(percent: 40), from: .orchestrator)
        #expect(onboarding.machine.screen.progress == 0.1)
        onboarding.advance(.seconds(4))
        #expect(onboarding.state == "accountUnavailable")
        try onboarding.send(.retry)
        try onboarding.send(.accountLoaderFinished(account: "Ann"), from: .orchestrator)
        #expect(onboarding.state == "welcome" && onboarding.machine.screen.title == "Welcome, Ann")
    }

    @Test func `Device checks that fail or take 30 seconds lead back and show the reason`() throws {
        let onboarding = try FlowUnderTest(Onboarding.self, startingIn: "deviceIdentification", data: ["account": "Ann"])
        try onboarding.send(.deviceWasIdentified(mac: "AA:BB:CC:DD:EE:FF"))
        try onboarding.send(.deviceChecksFailed(message: "it does not answer"), from: .orchestrator)
        #expect(onboarding.machine.screen.text.hasPrefix("That did not work: it does not answer."))
        try onboarding.send(.deviceWasIdentified(mac: "AA:BB:CC:DD:EE:FF"))
        onboarding.advance(.seconds(30))
        #expect(onboarding.machine.screen.text.hasPrefix("That did not work: the checks took too long."))
    }

    @Test(arguments: ["AA:BB:CC:DD:EE:FF", "aa-bb-cc-dd-ee-ff"])
    func `A MAC address is accepted with colons or hyphens, in either case`(mac: String) throws {
        let onboarding = try FlowUnderTest({ Onboarding(clock: $0) }, startingIn: "deviceIdentification")
        try onboarding.send(.deviceWasIdentified(mac: mac))
        try onboarding.send(.deviceChecksPassed, from: .orchestrator)
        #expect(onboarding.machine.isFinal)
        #expect(try onboarding.machine.stateData() == ["account": "guest", "mac": "AA:BB:CC:DD:EE:FF"])
    }

    @Test(arguments: [
        "", "AA:BB:CC:DD:EE", "AA:BB:CC:DD:EE:FG", "AA:BB:CC:DD:EE:FF:00", "AABBCCDDEEFF", "AA:BB-CC:DD:EE:FF",
        "A:BB:CC:DD:EE:FF",
    ])
    func `An invalid MAC address is refused`(text: String) throws {
        let onboarding = try FlowUnderTest({ Onboarding(clock: $0) }, startingIn: "deviceIdentification")
        let error = #expect(throws: Refusal.self) { try onboarding.send(.deviceWasIdentified(mac: text)) }
        #expect(error?.description == "'\(text)' is no MAC address; it looks like AA:BB:CC:DD:EE:FF")
    }

    @Test func `Permissions continue after a minute without an answer and record it as no answer`() throws {
        let permissions = try FlowUnderTest { Permissions(clock: $0) }
        try permissions.send(.start)
        permissions.advance(.seconds(60))
        #expect(permissions.state == "locationAsk")
        try permissions.send(.allow)
        // The system also has a minute to answer.
        permissions.advance(.seconds(60))
        #expect(permissions.state == "onboarded" && permissions.machine.isFinal)
        #expect(permissions.machine.state.values.pushNotifications == .noAnswer)
    }
}
