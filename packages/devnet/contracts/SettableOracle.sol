// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// An oracle of a market that answers what it was last told, refuses, or burns all gas.
contract SettableOracle {
    enum Answer { Honest, Revert, BurnGas }

    uint256 private answer;
    Answer private answers;

    function set(uint256 price_) external {
        answer = price_;
    }

    function turn(Answer answers_) external {
        answers = answers_;
    }

    function price() external view returns (uint256) {
        if (answers == Answer.Revert) revert("not now");
        if (answers == Answer.BurnGas) while (true) {}
        return answer;
    }
}
