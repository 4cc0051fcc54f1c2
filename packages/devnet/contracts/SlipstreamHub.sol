// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface ICLPool {
    function setGaugeAndPositionManager(address gauge, address nft) external;
    function stake(int128 delta, int24 tickLower, int24 tickUpper, bool positionUpdate) external;
    function updateRewardsGrowthGlobal() external;
    function syncReward(uint256 rewardRate, uint256 rewardReserve, uint256 periodFinish) external;
    function getRewardGrowthInside(int24 tickLower, int24 tickUpper, uint256 rewardGrowthGlobal) external view returns (uint256);
    function rewardGrowthGlobalX128() external view returns (uint256);
    function rewardReserve() external view returns (uint256);
    function lastUpdated() external view returns (uint32);
    function stakedLiquidity() external view returns (uint128);
    function rollover() external view returns (uint256);
}

interface INft {
    struct CollectParams {
        uint256 tokenId;
        address recipient;
        uint128 amount0Max;
        uint128 amount1Max;
    }

    function ownerOf(uint256 tokenId) external view returns (address);
    function safeTransferFrom(address from, address to, uint256 tokenId) external;
    function collect(CollectParams calldata params) external returns (uint256, uint256);
    function positions(uint256 tokenId)
        external
        view
        returns (uint96, address, address, address, int24, int24, int24, uint128, uint256, uint256, uint128, uint128);
}

/// The voter, the registry of factories and the factory of gauges that Slipstream's pools and managers ask, in one.
contract SlipstreamHub {
    using SafeERC20 for IERC20;

    address public immutable rewardToken;
    address public nft;
    address[] private factories;
    mapping(address pool => address) public gauges;
    mapping(address gauge => bool) public isGauge;

    constructor(address rewardToken_) {
        rewardToken = rewardToken_;
    }

    function factoryRegistry() external view returns (address) {
        return address(this);
    }

    function isAlive(address gauge) external view returns (bool) {
        return isGauge[gauge];
    }

    function approve(address factory, address nft_) external {
        factories.push(factory);
        nft = nft_;
    }

    /// The first is one of pools without NFTs, whose gauges are made by a factory that knows no manager.
    function poolFactories() external view returns (address[] memory all) {
        all = new address[](factories.length + 1);
        all[0] = address(this);
        for (uint256 i = 0; i < factories.length; i++) all[i + 1] = factories[i];
    }

    function factoriesToPoolFactory(address factory) external view returns (address, address) {
        return (address(0), factory == address(this) ? rewardToken : address(this));
    }

    /// As the factory before this one: it has no pools.
    function getPool(address, address, int24) external pure returns (address) {
        return address(0);
    }

    function createGauge(address pool) external returns (address gauge) {
        gauge = address(new SlipstreamGauge(ICLPool(pool), INft(nft), IERC20(rewardToken)));
        (gauges[pool], isGauge[gauge]) = (gauge, true);
        ICLPool(pool).setGaugeAndPositionManager(gauge, nft);
    }

    function notifyReward(address gauge, uint256 amount) external {
        IERC20(rewardToken).safeTransferFrom(msg.sender, gauge, amount);
        SlipstreamGauge(gauge).notifyRewardAmount(amount);
    }
}

/**
 * A gauge as Slipstream's, for what wallets do: it takes NFTs, has the pool count their liquidity as staked, and pays
 * emissions of a week by the growth inside their ranges. An update parks what was earned in `rewards`.
 */
contract SlipstreamGauge {
    using SafeERC20 for IERC20;

    uint256 private constant WEEK = 7 days;
    uint256 private constant Q128 = 1 << 128;

    ICLPool public immutable pool;
    INft public immutable nft;
    IERC20 public immutable rewardToken;
    address private immutable voter = msg.sender;
    uint256 public rewardRate;
    uint256 public periodFinish;
    mapping(address owner => mapping(uint256 tokenId => bool)) public stakedContains;
    mapping(uint256 tokenId => uint256) public rewardGrowthInside;
    mapping(uint256 tokenId => uint256) public rewards;
    mapping(uint256 tokenId => uint256) public lastUpdateTime;

    event Deposit(address indexed user, uint256 indexed tokenId, uint128 indexed liquidityToStake);
    event Withdraw(address indexed user, uint256 indexed tokenId, uint128 indexed liquidityToStake);
    event ClaimRewards(address indexed from, uint256 amount);

    constructor(ICLPool pool_, INft nft_, IERC20 rewardToken_) {
        (pool, nft, rewardToken) = (pool_, nft_, rewardToken_);
    }

    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        return this.onERC721Received.selector;
    }

    function earned(address owner, uint256 tokenId) external view returns (uint256) {
        require(stakedContains[owner][tokenId], "NA");
        return newlyEarned(tokenId);
    }

    function deposit(uint256 tokenId) external {
        require(nft.ownerOf(tokenId) == msg.sender, "NA");
        collect(tokenId);
        nft.safeTransferFrom(msg.sender, address(this), tokenId);
        stakedContains[msg.sender][tokenId] = true;
        (int24 lower, int24 upper, uint128 liquidity) = rangeOf(tokenId);
        pool.stake(int128(liquidity), lower, upper, true);
        (rewardGrowthInside[tokenId], lastUpdateTime[tokenId]) =
            (pool.getRewardGrowthInside(lower, upper, 0), block.timestamp);
        emit Deposit(msg.sender, tokenId, liquidity);
    }

    function withdraw(uint256 tokenId) external {
        require(stakedContains[msg.sender][tokenId], "NA");
        collect(tokenId);
        (int24 lower, int24 upper, uint128 liquidity) = rangeOf(tokenId);
        pay(tokenId);
        if (liquidity != 0) pool.stake(-int128(liquidity), lower, upper, true);
        stakedContains[msg.sender][tokenId] = false;
        nft.safeTransferFrom(address(this), msg.sender, tokenId);
        emit Withdraw(msg.sender, tokenId, liquidity);
    }

    function getReward(uint256 tokenId) external {
        require(stakedContains[msg.sender][tokenId], "NA");
        pay(tokenId);
    }

    /// What a change of the staked liquidity did in earlier gauges: the reward is counted and not paid.
    function update(uint256 tokenId) public {
        if (lastUpdateTime[tokenId] == block.timestamp) return;
        (int24 lower, int24 upper,) = rangeOf(tokenId);
        pool.updateRewardsGrowthGlobal();
        lastUpdateTime[tokenId] = block.timestamp;
        rewards[tokenId] += newlyEarned(tokenId);
        rewardGrowthInside[tokenId] = pool.getRewardGrowthInside(lower, upper, 0);
    }

    function notifyRewardAmount(uint256 amount) external {
        require(msg.sender == voter, "NV");
        pool.updateRewardsGrowthGlobal();
        uint256 finish = block.timestamp - (block.timestamp % WEEK) + WEEK;
        uint256 left = finish - block.timestamp;
        amount += pool.rollover();
        if (block.timestamp < periodFinish) amount += left * rewardRate;
        rewardRate = amount / left;
        pool.syncReward(rewardRate, amount, finish);
        periodFinish = finish;
    }

    function newlyEarned(uint256 tokenId) private view returns (uint256) {
        (int24 lower, int24 upper, uint128 liquidity) = rangeOf(tokenId);
        uint256 growth = pool.rewardGrowthGlobalX128();
        uint256 time = block.timestamp - pool.lastUpdated();
        uint256 reserve = pool.rewardReserve();
        if (time != 0 && reserve > 0 && pool.stakedLiquidity() > 0) {
            uint256 reward = rewardRate * time;
            if (reward > reserve) reward = reserve;
            growth += reward * Q128 / pool.stakedLiquidity();
        }
        unchecked {
            uint256 since = pool.getRewardGrowthInside(lower, upper, growth) - rewardGrowthInside[tokenId];
            return since * liquidity / Q128;
        }
    }

    function pay(uint256 tokenId) private {
        update(tokenId);
        uint256 reward = rewards[tokenId];
        if (reward == 0) return;
        rewards[tokenId] = 0;
        rewardToken.safeTransfer(msg.sender, reward);
        emit ClaimRewards(msg.sender, reward);
    }

    function collect(uint256 tokenId) private {
        nft.collect(INft.CollectParams(tokenId, msg.sender, type(uint128).max, type(uint128).max));
    }

    function rangeOf(uint256 tokenId) private view returns (int24 lower, int24 upper, uint128 liquidity) {
        (,,,,, lower, upper, liquidity,,,,) = nft.positions(tokenId);
    }
}
