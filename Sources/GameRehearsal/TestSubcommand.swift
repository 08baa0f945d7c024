// `test`: runs scenarios without a daemon.

import GameClient
import GameFlow
import Rehearsal
import Texts

extension Subcommand {
    static func test(_ flows: RehearsedFlows) -> Subcommand {
        // Flows are made and run on the thread that runs the command line, and nowhere else.
        nonisolated(unsafe) let flows = flows
        return Subcommand(
            .offline, syntax: "test [--verbose] FILE …",
            summary: "Runs scenarios in virtual time, without a daemon, and reports in TAP.",
            details: """
                A scenario is a text with one step per line: a command of the daemon, or an expectation. A command that is refused \
                fails the scenario. The exit status is 1 if a scenario fails, and 64 if a file is not a scenario. Besides the \
                daemon's commands, these steps can be used:

                """
                    + TextColumns.lines(StepWord.all.map { [$0.syntax, $0.summary] }, indent: 2, widest: 40).joined(
                        separator: "\n")
            ,
            examples: ["gamectl test Examples/Scenarios/game.scenario", "gamectl test --verbose *.scenario"],
            options: [Option("--verbose", nil, "list every step")], words: 1...Int.max - 1
        ) { context, call throws(ControlError) in
            let scenarios = try Self.scenarios(call.words)
            return try context.run(scenarios, flows, isVerbose: call.options["--verbose"] != nil)
        }
    }

    /// Reads all files before anything runs, so that all mistakes are reported together.
    private static func scenarios(_ paths: [String]) throws(ControlError) -> [Scenario] {
        var (scenarios, sentences): ([Scenario], [String]) = ([], [])
        for path in paths {
            do throws(ScenarioFault) {
                scenarios.append(try Scenario(path: path))
            } catch {
                sentences += error.sentences
            }
        }
        guard sentences.isEmpty else { throw .usage(sentences.joined(separator: "\n")) }
        return scenarios
    }
}

extension CommandContext {
    fileprivate func run(_ scenarios: [Scenario], _ flows: RehearsedFlows, isVerbose: Bool) throws(ControlError)
        -> ControlStatus
    {
        do throws(FlowProblems) {
            try flows.check()
        } catch {
            throw .refused(code: .badFlow, sentence: error.description)
        }
        if !output.isJSON { try output.say(TestProtocol.head(count: scenarios.count)) }
        var status = ControlStatus.accepted
        for (index, scenario) in scenarios.enumerated() {
            let report = scenario.run(flows)
            if output.isJSON {
                try output.say(json: TestProtocol.json(report))
            } else {
                try output.say(TestProtocol.point(index + 1, report, verbose: isVerbose))
            }
            if !report.isGood { status = .refused }
        }
        return status
    }
}
