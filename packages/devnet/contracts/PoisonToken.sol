// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// A token of a stranger: it logs what it likes, moves what it likes, and says of balances what it is set to.
contract PoisonToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    uint256 private constant ONE = 1e18;
    uint256 private constant ALL = 10_000;

    string public name;
    string public symbol;
    uint256 public totalSupply;
    uint256 private places;
    mapping(address => uint256) private kept;

    /// What `balanceOf` does: 0 answers honestly, 1 answers `said`, 2 reverts, 3 burns its gas, 4 answers 31 bytes.
    uint8 public lie;
    uint256 public said;
    /// Balances are multiplied by this, in 1e18: they change without an event.
    uint256 public index = ONE;
    /// What a transfer loses on its way, in 1/10,000, while its event tells the whole.
    uint256 public fee;
    /// How often a transfer is logged.
    uint256 public echoes = 1;

    constructor(string memory name_, string memory symbol_, uint256 decimals_) {
        name = name_;
        symbol = symbol_;
        places = decimals_;
    }

    /// 256 is above what a uint8 holds, and stands for a token that has none.
    function decimals() external view returns (uint256) {
        require(places < 256, "no decimals");
        return places;
    }

    function setLie(uint8 lie_, uint256 said_) external {
        (lie, said) = (lie_, said_);
    }

    function setIndex(uint256 index_) external {
        index = index_;
    }

    function setFee(uint256 fee_) external {
        fee = fee_;
    }

    function setEchoes(uint256 echoes_) external {
        echoes = echoes_;
    }

    function balanceOf(address owner) external view returns (uint256) {
        if (lie == 1) return said;
        if (lie == 2) revert("no answer");
        if (lie == 3) while (true) {}
        if (lie == 4) {
            assembly {
                return(0, 31)
            }
        }
        return (kept[owner] * index) / ONE;
    }

    function mint(address to, uint256 amount) external {
        kept[to] += amount;
        totalSupply += amount;
        emit Transfer(address(0), to, amount);
    }

    /// As `mint`, and no event tells of it.
    function slip(address to, uint256 amount) external {
        kept[to] += amount;
        totalSupply += amount;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    /// No allowance is asked for: it is the token's own maker who takes.
    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        return move(from, to, amount);
    }

    function approve(address, uint256) external pure returns (bool) {
        return true;
    }

    function move(address from, address to, uint256 amount) private returns (bool) {
        kept[from] -= amount;
        kept[to] += amount - (amount * fee) / ALL;
        for (uint256 i = 0; i < echoes; i++) emit Transfer(from, to, amount);
        return true;
    }

    /// An event that nothing stands behind.
    function say(address from, address to, uint256 amount) external {
        emit Transfer(from, to, amount);
    }

    function sayMany(address[] calldata from, address[] calldata to, uint256[] calldata amounts) external {
        for (uint256 i = 0; i < from.length; i++) emit Transfer(from[i], to[i], amounts[i]);
    }

    /// Any log at all, with up to four topics.
    function log(bytes32[] calldata topics, bytes calldata data) external {
        bytes memory body = data;
        if (topics.length == 0) assembly { log0(add(body, 32), mload(body)) }
        else {
            bytes32 a = topics[0];
            bytes32 b = topics.length > 1 ? topics[1] : bytes32(0);
            bytes32 c = topics.length > 2 ? topics[2] : bytes32(0);
            bytes32 d = topics.length > 3 ? topics[3] : bytes32(0);
            if (topics.length == 1) assembly { log1(add(body, 32), mload(body), a) }
            else if (topics.length == 2) assembly { log2(add(body, 32), mload(body), a, b) }
            else if (topics.length == 3) assembly { log3(add(body, 32), mload(body), a, b, c) }
            else assembly { log4(add(body, 32), mload(body), a, b, c, d) }
        }
    }

    /// Pays out some of another token that this contract holds, and logs a transfer of its own beside it.
    function sayAndPay(address from, address to, uint256 amount, IERC20 other, address payee, uint256 paid) external {
        emit Transfer(from, to, amount);
        other.transfer(payee, paid);
    }

    /// An exchange of two honest tokens for the caller, with transfers of its own logged between: one to the caller, one from it.
    function trade(IERC20 give, uint256 given, IERC20 get, uint256 got, uint256 amount) external {
        give.transferFrom(msg.sender, address(this), given);
        emit Transfer(address(this), msg.sender, amount);
        emit Transfer(msg.sender, address(0xdead), amount / 3);
        get.transfer(msg.sender, got);
    }
}
