import Sessions
import Testing
@testable import GameDaemon
@testable import Posix

@Suite struct `The option --expire` {
    @Test(arguments: [
        ("kiosk=10m", ExpiryRule(flow: "kiosk", length: .seconds(600), action: .drop)),
        ("kiosk=1h30m:drop", ExpiryRule(flow: "kiosk", length: .seconds(5_400), action: .drop)),
        ("kiosk=5000:restart", ExpiryRule(flow: "kiosk", length: .seconds(5), action: .restart)),
    ])
    func `The option --expire sets a flow's duration and its action, drop by default`(text: String, rule: ExpiryRule) throws {
        #expect(try Options(parsing: ["--expire", text]).expiries == [rule])
    }

    @Test func `The option --expire may be given for several flows`() throws {
        let options = try Options(parsing: ["--expire", "a=1s", "--expire=b=2s:restart"])
        #expect(options.expiries.map(\.sentence) == ["a (dropped after 1s)", "b (restarted after 2s)"])
    }

    @Test(arguments: [
        ("kiosk", "--expire is FLOW=DURATION, FLOW=DURATION:drop or FLOW=DURATION:restart, like kiosk=10m:restart, not"),
        ("kiosk=soon", "--expire kiosk: 'soon' is not a duration; write it like 90s"),
        ("kiosk=10m:forget", "--expire kiosk: the action is drop or restart, not 'forget'"),
        ("kiosk=10m:", "--expire kiosk: the action is drop or restart, not ''"),
        ("kiosk=999ms", "--expire kiosk: '999ms' is 999ms; a session lives for 1s at least"),
        ("kiosk=-10s", "--expire kiosk: '-10s' is -10s; a session lives for 1s at least"),
    ])
    func `An invalid --expire is refused with an error that names the problem`(text: String, sentence: String) {
        let error = #expect(throws: UsageError.self) { try Options(parsing: ["--expire", text]) }
        #expect(error?.description.hasPrefix(sentence) == true, "\(error?.description ?? "")")
    }

    @Test func `A second --expire for the same flow is refused`() {
        let error = #expect(throws: UsageError.self) { try Options(parsing: ["--expire", "a=1s", "--expire", "a=2s"]) }
        #expect(error?.description == "--expire names the flow 'a' twice; its sessions expire by one rule")
    }
}
