// Generated files that are too large, too deep or full of control characters.

import Testing

@testable import Statecharts

@Suite struct `A flow file that is too large` {
    @Test func `A flow file with too many bytes is refused`() {
        let text = "{ states: { a: {} } }" + String(repeating: " ", count: ChartBounds.fileBytes)
        #expect(report(text) == ["1:1: error: a flow file has at most 1 MiB, and this one has more"])
    }

    @Test func `A flow file with too many states is refused`() {
        let states = (0..<100_000).map { "s\(String($0, radix: 36)):{}" }.joined(separator: ",")
        #expect(
            report("{id:'t',states:{\(states)}}") == [
                "1:78685: error: a flow has at most 10000 states; this one is beyond that"
            ])
    }

    @Test func `A flow file with too many transitions, timers or variables is refused`() {
        func transitions(_ count: Int) -> [String] {
            let list = (0..<count).map { "e\($0):'a'" }.joined(separator: ",")
            return report("{id:'t',initial:'a',states:{a:{on:{\(list)}},b:{initial:'c',states:{c:{}}}}}").filter {
                !$0.contains("warning")
            }
        }
        #expect(transitions(10_000) == [], "the transitions to initial states do not count")
        #expect(transitions(10_001) == ["1:98933: error: a flow has at most 10000 transitions; this one is beyond that"])
        let timers = (0...1_000).map { "'\($0 + 1)s':'a'" }.joined(separator: ",")
        #expect(
            report("{id:'t',states:{a:{after:{\(timers)}}}}") == [
                "1:10920: error: a flow has at most 1000 timers; this one is beyond that"
            ])
        let variables = (0...256).map { "v\($0):0" }.joined(separator: ",")
        #expect(
            report("{id:'t',context:{\(variables)},states:{a:{}}}") == [
                "1:1700: error: a context has at most 256 variables; this one is beyond that"
            ])
    }

    @Test func `A flow file with too many fields in a payload is refused, once for each payload`() {
        let field = "{type:'boolean'}"
        func text(_ count: Int) -> String {
            "{id:'t',events:{e:{payload:{\((0..<count).map { "f\($0):\(field)" }.joined(separator: ","))}}},states:{a:{on:{e:'a'}}}}"
        }
        #expect(report(text(ChartBounds.fields)) == [])
        #expect(report(text(400)) == ["1:5551: error: a payload has at most 256 fields; this one is beyond that"])
    }

    @Test func `A flow file with too many milestones of one timer is refused`() {
        let milestones = (1...1_001).map { "'\($0)s':'e'" }.joined(separator: ",")
        let text = "{id:'t',states:{a:{after:{'9h':{milestones:{\(milestones)},target:'a'}},on:{e:'a'}}}}"
        #expect(report(text) == ["1:10938: error: a timer has at most 1000 milestones; this one is beyond that"])
    }

    @Test func `A flow file with too many events is refused`() {
        let catalogue = (0...20_000).map { "e\($0):{}" }.joined(separator: ",")
        let listed = report("{id:'t',events:{\(catalogue)},states:{a:{on:{e0:'a'}}}}").filter { !$0.contains("warning") }
        #expect(listed.first == "1:188907: error: a flow has at most 20000 events; this one is beyond that")
        let raised = (0...20_000).map { "{raise:'e\($0)'}" }.joined(separator: ",")
        let named = report("{id:'t',states:{a:{on:{e0:[\(raised)]}}}}").filter { !$0.contains("warning") }
        #expect(named == ["1:328925: error: a flow has at most 20000 events; this one is beyond that"])
    }

    @Test func `A flow file's size bounds the events of delayed sends, in addition to its listed events`() {
        let sent = (0..<49_990).map { "{send:{session:'x',event:'e\($0)',delay:1}}" }.joined(separator: ",")
        #expect(sent.utf8.count > ChartBounds.fileBytes, "the file's size bounds delayed sends")
        let catalogue = (0..<20_000).map { "e\($0):{}" }.joined(separator: ",")
        let some = (0..<16_000).map { "{send:{session:'x',event:'e\($0)',delay:1}}" }.joined(separator: ",")
        let text = "{id:'t',events:{\(catalogue)},states:{a:{on:{e0:[\(some)]}}}}"
        #expect(text.utf8.count < ChartBounds.fileBytes && FlowFile(bytes: Array(text.utf8), path: "t.json5").definition != nil)
    }

    @Test func `A flow file with too many invocations is refused`() {
        let invocations = (0...1_000).map { "{flow:'f',id:'i\($0)'}" }.joined(separator: ",")
        #expect(
            report("{id:'t',states:{a:{invoke:[\(invocations)]}}}") == [
                "1:20918: error: a flow invokes others at most 1000 times; this one is beyond that"
            ])
    }

    @Test func `A flow file with regions whose names together are too long is refused`() {
        let name = String(repeating: "n", count: 100)
        let regions = (0..<2_600).map { "\(name)\($0):{}" }.joined(separator: ",")
        let found = report("{id:'t',states:{p:{type:'parallel',states:{\(regions)}}}}")
        #expect(
            found.count == 1 && found[0].hasPrefix("1:17: error: the names of all states that are active together in 'p' have ")
        )
        #expect(found[0].hasSuffix(" bytes, and 262144 are the most; give them shorter names, or make fewer regions"))
        let histories = (0..<60).map { "h\($0):{type:'history',history:'deep',target:'\(name)0'}" }.joined(separator: ",")
        let fewer = (0..<200).map { "\(name)\($0):{}" }.joined(separator: ",")
        let remembered = report("{id:'t',states:{p:{type:'parallel',states:{\(fewer),\(histories)}}}}")
        #expect(
            remembered.contains { $0.contains("remember at most 1048576 bytes of names together, and these can become 12") })
    }

    @Test func `A flow file with an expression that is too long is refused`() {
        let text = flow("a: { always: { guard: \"\(String(repeating: "1+", count: 2_048))1\", target: \"a\" } }")
        #expect(report(text) == ["1:49: error: an expression has at most 4096 bytes, and this one has 4097"])
    }

    @Test(arguments: [
        ("(", 1_000, "1:270: error: this expression is nested too deeply"),
        ("(", 20_000, "1:72: error: an expression has at most 4096 bytes, and this one has 20001"),
        ("not ", 50_000, "1:72: error: an expression has at most 4096 bytes, and this one has 200001"),
    ])
    func `A flow file with an expression that is nested too deeply is refused`(_ part: String, _ count: Int, _ problem: String)
    {
        let value = String(repeating: part, count: count) + "1"
        let assignment = flow("a: { entry: { assign: { n: \"\(value)\" } } }", "context: { n: 0 },")
        #expect(report(assignment) == [problem])
        let delay = flow("a: { after: { '1m': { name: 'end', delay: \"\(value)\" } } }")
        #expect(report(delay).count == 1)
    }

    @Test func `A flow file with a name that is too long is refused`() {
        let name = String(repeating: "ab", count: 5_000)
        #expect(
            report(flow("\(name): {}")).map { $0.prefix(70) } == [
                "1:26: error: a name has at most 128 bytes, and 'ababababababababababab"
            ])
    }

    @Test func `A flow file with states that are nested too deeply is refused`() {
        let text = String(repeating: "{states:{a:", count: 40) + "{}" + String(repeating: "}}", count: 40)
        #expect(report(text) == ["1:353: error: more than 64 values inside each other"])
    }

    @Test func `A flow file with very many problems reports 100 of them, and that more follow`() {
        let report = report(
            flow((0..<5_000).map { "a\($0): { on: { go: 'nowhere\($0)' }, entri: [] }" }.joined(separator: ",")))
        #expect(report.count == 101 && report.last?.hasSuffix("more problems follow; fix these first") == true)
    }

    @Test(arguments: ["\u{0}", "\u{1b}[31m", "\u{202e}", "\r", "\u{7f}"])
    func `A flow file with control characters is refused, and no error message repeats them`(_ control: String) {
        let name = "x" + control
        let text =
            "{id:'t',\"k\(name)\":1,states:{\"\(name)\":{on:{\"\(name)\":\"\(name)y\"},after:{\"\(name)\":\"a\"},entry:[{raise:\"\(name)\"},"
            + "{pause:\"\(name)\"},{assign:{\"\(name)\":1}},{\"\(name)\":1}],invoke:{flow:\"\(name)\",id:\"\(name)\"}}}}"
        let file = FlowFile(bytes: Array(text.utf8), path: "\(control).json5")
        #expect(!file.problems.isEmpty)
        #expect(
            file.report.allSatisfy { !$0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0.value == 0x202E } }
        )
    }
}
