// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/**
 * Convex' reward pool of other chains, and the booster that lists it as its pool 0: the stake is a token, and `earned`
 * counts by what came in since the last call, which changes the state. A reward that was struck out stays in the list as
 * an empty entry.
 */
contract ConvexSidePool is ERC20 {
    using SafeERC20 for IERC20;

    struct EarnedData {
        address token;
        uint256 amount;
    }

    IERC20 internal immutable share;
    address[] private tokens;
    mapping(address => uint256) private integral;
    mapping(address => uint256) private remaining;
    mapping(address => mapping(address => uint256)) private integralFor;
    mapping(address => mapping(address => uint256)) private claimable;

    event Staked(address indexed user, uint256 amount);
    event Withdrawn(address indexed user, uint256 amount);
    event RewardPaid(address indexed user, address indexed token, address indexed receiver, uint256 amount);

    constructor(IERC20 share_, address[] memory tokens_) ERC20("Convex Deposit", "cvxLP") {
        share = share_;
        tokens = tokens_;
    }

    function convexPoolId() external pure returns (uint256) {
        return 0;
    }

    function poolInfo(uint256 pid) external view returns (address, address, address, bool, address) {
        require(pid == 0);
        return (address(share), address(0), address(this), false, address(0));
    }

    function rewardLength() external view returns (uint256) {
        return tokens.length;
    }

    function rewards(uint256 i) external view returns (address token, uint256 integral_, uint256 remaining_) {
        return (tokens[i], integral[tokens[i]], remaining[tokens[i]]);
    }

    function strike(uint256 i) external {
        tokens[i] = address(0);
    }

    function deposit(uint256, uint256 amount) external {
        share.safeTransferFrom(msg.sender, address(this), amount);
        _mint(msg.sender, amount);
        emit Staked(msg.sender, amount);
    }

    function withdraw(uint256 amount, bool claim) external {
        if (claim) checkpoint(msg.sender, msg.sender);
        _burn(msg.sender, amount);
        share.safeTransfer(msg.sender, amount);
        emit Withdrawn(msg.sender, amount);
    }

    function earned(address account) external returns (EarnedData[] memory found) {
        checkpoint(account, address(0));
        found = new EarnedData[](tokens.length);
        for (uint256 i = 0; i < tokens.length; i++) {
            if (tokens[i] == address(0)) continue;
            found[i] = EarnedData(tokens[i], claimable[tokens[i]][account]);
        }
    }

    function getReward(address account) external {
        checkpoint(account, account);
    }

    function _update(address from, address to, uint256 amount) internal override {
        if (from != address(0)) checkpoint(from, address(0));
        if (to != address(0)) checkpoint(to, address(0));
        super._update(from, to, amount);
    }

    function checkpoint(address account, address payee) private {
        for (uint256 i = 0; i < tokens.length; i++) if (tokens[i] != address(0)) count(tokens[i], account, payee);
    }

    function count(address token, address account, address payee) private {
        uint256 kept = IERC20(token).balanceOf(address(this));
        if (totalSupply() > 0 && kept > remaining[token]) {
            integral[token] += ((kept - remaining[token]) * 1e20) / totalSupply();
        }
        claimable[token][account] += (balanceOf(account) * (integral[token] - integralFor[token][account])) / 1e20;
        integralFor[token][account] = integral[token];
        uint256 due = payee == address(0) ? 0 : claimable[token][account];
        if (due > 0) {
            claimable[token][account] = 0;
            IERC20(token).safeTransfer(payee, due);
            logPayment(account, token, payee, due);
        }
        remaining[token] = kept - due;
    }

    function logPayment(address account, address token, address payee, uint256 amount) internal virtual {
        emit RewardPaid(account, token, payee, amount);
    }
}
