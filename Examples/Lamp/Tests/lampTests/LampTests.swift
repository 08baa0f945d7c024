import GameDaemon
import Programs
import Testing

@testable import lamp

@Test func `the lamp goes off by itself, two minutes after the last press`() throws {
    let lamp = try FlowUnderTest { Lamp(clock: $0) }
    try lamp.send(.press)
    lamp.advance(.seconds(119))
    try lamp.send(.press)
    lamp.advance(.seconds(119.999))
    #expect(lamp.state == "on")
    lamp.advance(.milliseconds(1))
    #expect(lamp.state == "off")
}

@Test func `A daemon hosts the lamp flow beside the built-in flows`() throws {
    let daemon = try RunningDaemon("lamp", "--time", "virtual", "--session", "hall=lamp")
    #expect(daemon.start.hasPrefix("lamp (gamed "))
    let flows = try daemon.execute("FLOWS").split(separator: "\n")
    #expect(flows.first == "lamp" && flows.contains("turns"))
    #expect(try daemon.execute("SEND", "hall", "press") == "on")
    #expect(try daemon.execute("ADVANCE", "2m") == "1")
    #expect(try daemon.execute("STATE", "hall").contains("state\noff\n"))
    #expect(try daemon.execute("SEND", "hall", "timeIsUp").hasPrefix("BADEVENT"))
    #expect(try daemon.execute("NEW", "table", "turns") == "first")
}

@Test func `The lamp goes off by itself in real time`() throws {
    let daemon = try RunningDaemon("lamp", "--session", "hall=lamp")
    #expect(try daemon.execute("SEND", "hall", "press") == "on")
    let left = try #require(Int(try daemon.execute("EXTEND", "hall", "glow", "-119500")))
    #expect((0..<500).contains(left))
    #expect(try daemon.wait(for: "", "TIMERS", "hall") == "", "the countdown has fired")
    #expect(try daemon.execute("STATE", "hall").contains("state\noff\n"))
}
