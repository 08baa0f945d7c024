// Every state and every event of the built-in flows.

import BuiltInFlows
import GameFlow
import Testing
import Timers

@Suite struct `The truth tables` {
    @Test(arguments: Game.states, Game.events.names)
    func `The game follows its truth table`(state: String, event: String) throws {
        try TruthTable(
            makeFlow: { Game(clock: $0) },
            data: [
                "choosingLevel": ["episode": 2], "playingLevel": ["episode": 2, "level": 3, "play": ["seconds": 0]],
                "finishedLevel": ["episode": 2, "level": 3, "score": 7],
            ],
            rows: [
                "introduction": ["displayHelp": "help", "startPlaying": "choosingEpisode"],
                "help": ["dismissHelp": "introduction", "timeIsUp": "introduction", "returnHome": "introduction"],
                "choosingEpisode": [
                    "chooseEpisode": "choosingLevel", "timeIsUp": "introduction", "returnHome": "introduction",
                ],
                "choosingLevel": [
                    "chooseLevel": "playingLevel", "timeIsUp": "choosingEpisode", "returnHome": "introduction",
                ],
                "playingLevel": [
                    "completeLevel": "finishedLevel", "timeIsUp": "finishedLevel", "tick": "playingLevel",
                    "returnHome": "introduction",
                ],
                "finishedLevel": [
                    "dismissFinishedLevel": "choosingLevel", "timeIsUp": "choosingLevel", "returnHome": "introduction",
                ],
            ]
        ).check(state, event)
    }

    @Test(arguments: Turns.states, Turns.events.names)
    func `The turns follow their truth table`(state: String, event: String) throws {
        try TruthTable(
            makeFlow: { Turns(clock: $0) }, rows: ["first": ["pass": "second"], "second": ["pass": "first"]]
        ).check(state, event)
    }

    @Test(arguments: Registration.states, Registration.events.names)
    func `The registration follows its truth table`(state: String, event: String) throws {
        try TruthTable(
            makeFlow: { Registration(clock: $0) }, data: ["selectAvatar": ["origin": "facebookProfile"]],
            rows: [
                "login": ["next": "createProfile", "login": "finished"],
                "createProfile": [
                    "enterProfile": "selectAvatar", "facebookRegister": "facebookProfile",
                    "registerLater": "termsAndConditions", "back": "login", "inactive": "login",
                ],
                "facebookProfile": [
                    "enterProfile": "selectAvatar", "registerLater": "termsAndConditions", "back": "createProfile",
                    "inactive": "login",
                ],
                "selectAvatar": ["chooseAvatar": "termsAndConditions", "back": "facebookProfile", "inactive": "login"],
                "termsAndConditions": ["consent": "finished", "back": "createProfile", "inactive": "login"],
            ]
        ).check(state, event)
    }

    @Test(arguments: ["createProfile", "facebookProfile", "selectAvatar"])
    func `A registration page accepts next without a payload if its values were entered before`(page: String) throws {
        let entered: JSON = ["name": "Ann", "avatar": "fox"]
        let registration = try FlowUnderTest(Registration.self, startingIn: page, data: entered)
        try registration.send(.next)
        #expect(registration.state == (page == "selectAvatar" ? "termsAndConditions" : "selectAvatar"))
    }

    @Test(arguments: Onboarding.states, Onboarding.events.names)
    func `The onboarding follows its truth table`(state: String, event: String) throws {
        let device: JSON = ["mac": "AA:BB:CC:DD:EE:FF"]
        try TruthTable(
            makeFlow: { Onboarding(clock: $0) }, data: ["performDeviceChecks": device, "deviceReady": device],
            rows: [
                "accountLoader": [
                    "accountLoading": "accountLoader", "accountLoaderFinished": "welcome",
                    "accountLoaderFailed": "accountUnavailable", "timeIsUp": "accountUnavailable",
                ],
                "accountUnavailable": ["retry": "accountLoader"],
                "welcome": ["startFlowTapped": "deviceIdentification"],
                "deviceIdentification": ["deviceWasIdentified": "performDeviceChecks"],
                "performDeviceChecks": [
                    "deviceChecksPassed": "deviceReady", "deviceChecksFailed": "deviceIdentification",
                    "timeIsUp": "deviceIdentification",
                ],
            ]
        ).check(state, event)
    }

    @Test(arguments: Permissions.states, Permissions.events.names)
    func `The permissions follow their truth table`(state: String, event: String) throws {
        try TruthTable(
            makeFlow: { Permissions(clock: $0) },
            rows: [
                "initial": ["start": "pushNotificationsAsk", "pushNotificationsAsk": "pushNotificationsAsk"],
                "pushNotificationsAsk": [
                    "allow": "pushNotificationsDisplay", "deny": "locationAsk", "notNow": "locationAsk",
                    "noAnswer": "locationAsk", "pushNotificationsDisplay": "pushNotificationsDisplay",
                    "locationAsk": "locationAsk",
                ],
                "pushNotificationsDisplay": [
                    "systemGranted": "locationAsk", "systemDenied": "locationAsk", "noAnswer": "locationAsk",
                    "locationAsk": "locationAsk",
                ],
                "locationAsk": [
                    "allow": "locationDisplay", "deny": "onboarded", "notNow": "onboarded", "noAnswer": "onboarded",
                    "locationDisplay": "locationDisplay", "onboarded": "onboarded",
                ],
                "locationDisplay": [
                    "systemGranted": "onboarded", "systemDenied": "onboarded", "noAnswer": "onboarded",
                    "onboarded": "onboarded",
                ],
            ]
        ).check(state, event)
    }

    /// `hydrateSucceeded` has two samples that lead to two states; it has tests of its own.
    @Test(arguments: Startup.states, Startup.events.names.filter { $0 != "hydrateSucceeded" })
    func `The startup follows its truth table`(state: String, event: String) throws {
        var rows: [String: [String: String]] = [
            "launching": ["didLaunch": "hydrating"],
            "hydrating": ["timeIsUp": "error"],
            "needsLogin": ["loginRequested": "authenticating"],
            "authenticating": ["loginSucceeded": "ready", "loginFailed": "error", "timeIsUp": "error"],
            "error": ["retry": "hydrating"],
            "ready": ["logOut": "needsLogin", "sessionRevoked": "needsLogin"],
        ]
        for state in rows.keys { rows[state]?["deepLink"] = state == "ready" ? "ready" : "postponed" }
        try TruthTable(
            makeFlow: { Startup(clock: $0) }, data: ["error": ["message": "oh"], "ready": ["userID": "ann"]], rows: rows
        ).check(state, event)
    }
}
